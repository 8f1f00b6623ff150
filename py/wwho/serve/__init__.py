"""The HTTP server: the demo page and the JSON API; needs the packages of ``wwho[serve]``."""
