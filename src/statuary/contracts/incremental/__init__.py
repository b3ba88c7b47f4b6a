"""The contracts that a build makes again, their partitions and their results."""
