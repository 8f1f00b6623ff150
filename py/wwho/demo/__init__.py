"""The demo page and the small Flask app that serves it; needs the extra ``wwho[demo]``."""
