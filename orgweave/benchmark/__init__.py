"""Query instances with exact truth: drawn from the hidden story, answered again from the org alone,
written, proved.
"""
