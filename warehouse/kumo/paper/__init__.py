"""Numbers printed in the two versions of the KUMO paper, and figures computed from its release."""
