"""What the Connect pages say: links and commands, a guide for each client, failures with their way out."""
