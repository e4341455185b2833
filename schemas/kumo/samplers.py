"""How an instance is drawn: balanced over its listed truths, or as the KUMO paper does it."""

BALANCED = "balanced"
AS_PUBLISHED = "kumo-2025"
SAMPLERS = (BALANCED, AS_PUBLISHED)
DEFAULT_SAMPLER = BALANCED
