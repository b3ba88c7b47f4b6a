"""Pages: the status page, incidents, history, uptime, and every contract with its proof.

View models decide the content of a page, templates its markup; neither reads a clock. Every page works without
JavaScript, loads nothing from other hosts, and needs no exception from its content security policy.
"""
