"""What hosts need to serve the site as it is meant: their rules, made from the table of URLs."""
