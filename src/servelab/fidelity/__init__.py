"""What servelab says held against what engines say: their start-up logs, and the commands that start them."""
