"""What others follow the page with: feeds, a calendar, badges, and what a build changed."""
