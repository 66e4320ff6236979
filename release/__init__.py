"""What a release is made of: man pages and completion, the Debian package. For the Makefile."""
