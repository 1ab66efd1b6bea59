"""Which sampler draws which source kind.

A new kind is one function and one line here (and its model in `schemas.sources`).
"""

from pipeline.sample import links, people, values
from pipeline.sample.draw import Sampler

SAMPLERS: dict[str, Sampler] = {
    "IdSource": values.draw_id,
    "ReferenceSource": links.draw_reference,
    "ChoiceSource": values.draw_choice,
    "RangeSource": values.draw_range,
    "DistributionSource": values.draw_distribution,
    "FakerSource": people.draw_faker,
    "PlaceSource": people.draw_place,
    "SequenceSource": values.draw_sequence,
    "PatternSource": values.draw_pattern,
    "ConstantSource": values.draw_constant,
    "TemplateSource": links.draw_template,
    "CopySource": links.draw_copy,
    "WhenSource": links.draw_when,
    "MapSource": links.draw_map,
    "LatentSource": links.draw_latent,
}
