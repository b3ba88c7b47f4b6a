"""Read, check, build, publish: the stages, as short functions."""
