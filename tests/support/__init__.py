"""What tests share: sites, records, servers, strategies."""
