"""What Outlast tells about itself: logs, metrics, traces, and whether it is alive and ready."""
