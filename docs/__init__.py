"""The programs that draw the documents' picture and write the configuration page."""
