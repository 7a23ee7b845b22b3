"""JAM itself on this machine: speed, growth, a very large transcript, and what a prefix cache could reuse."""
