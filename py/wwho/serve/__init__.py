"""The small server: the demo page and the JSON API; needs the extra ``wwho[serve]``."""
