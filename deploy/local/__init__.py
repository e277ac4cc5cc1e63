"""The private local stack: RabbitMQ, Postgres, S3 and the four services under one folder."""
