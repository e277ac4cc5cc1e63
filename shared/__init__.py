"""What the four services share: values, settings, telemetry, and one module per outside system."""
