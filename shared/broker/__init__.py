"""RabbitMQ: declaring, publishing with confirms (kombu), and consuming (pika); messages only wake."""
