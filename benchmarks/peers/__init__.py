"""What is measured beside ours: programs that run as processes of their own."""
