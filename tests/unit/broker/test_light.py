import subprocess
import sys


def test_a_producer_publishes_without_the_libraries_of_the_services() -> None:
    program = (
        "import sys, shared.broker.publisher, shared.broker.declare;"
        "print([name for name in ('pika', 'psycopg', 'minio', 'av') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
