"""Pages for people: the status page, what led to it, and every contract with its proof.

View models decide what a page says, templates how it stands there; neither looks at a clock. Every page reads
without JavaScript, asks nothing of other hosts, and keeps to a content security policy without exceptions.
"""
