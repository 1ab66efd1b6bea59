"""What each rule says that an industry's lexicon has to supply, by its general name.

The reference of rules and the files of a new company are commented with it.
"""

MEANINGS: dict[str, str] = {
    "Product2.Description.detail": "A sentence on how a product is made or sold, with figures.",
    "Product2.Description.lead": "The first sentence of a product's description.",
    "article.title": "The title of a product article.",
    "article.summary": "The summary of a product article.",
    "article.body": "The text of a product article.",
    "buy_past": "What a customer did with the product: bought, opened, subscribed to.",
    "category.feature": "A sentence on one feature of a product.",
    "category.for": "Whom a product suits.",
    "category.model": "The noun of a product's name: Trail Runner.",
    "category.part": "A part of a product.",
    "category.spec": "A sentence with figures that only this product has.",
    "category.use": "What a product is used for.",
    "issue.advice": "A useful tip of the agent.",
    "issue.answer": "What the customer answers to the agent's question on a topic.",
    "issue.article.intro": "How the article on the issue begins.",
    "issue.article.steps": "What an agent does step by step, in the article on the issue.",
    "issue.article.title": "The title of the article on the issue.",
    "issue.ask": "What the agent asks about a topic.",
    "issue.cause": "The agent explains what went wrong.",
    "issue.complaint": "The customer describes the problem.",
    "issue.impact": "The customer says why it matters.",
    "issue.subject": "The subject line of a case.",
    "issue.summary": "The agent's note on what the customer reports.",
    "option.article": "How an article states the option and its limit.",
    "option.offer": "The agent offers the option within its limit.",
    "option.steps": "What happens next, once the option is arranged.",
    "order_noun": "What a purchase is called: order, contract, subscription.",
    "place_noun": "Where customers buy: online store, branch, app.",
    "policy.body": "The text of the article on a policy. It names every figure of the policy.",
    "policy.question": "A question of the knowledge task on one figure of the policy.",
    "policy.summary": "The summary of the article on a policy.",
    "policy.title": "The title of the article on a policy.",
    "series": "The first word of a product's name: a line or a model name.",
    "team": "What the service team is called.",
    "variant": "The last word of a product's name: Mid, Plus.",
}
"""A rule's general name -> what its lines say."""
