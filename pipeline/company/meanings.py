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
    "issue.ack": "The agent says in a sentence that they have understood what happened.",
    "issue.advice": "A useful tip of the agent.",
    "issue.answer": "What the customer answers to the agent's question on a topic.",
    "issue.article.intro": "How the article on the issue begins.",
    "issue.article.steps": "What an agent does step by step, in the article on the issue.",
    "issue.article.title": "The title of the article on the issue.",
    "issue.ask": "What the agent asks about a topic.",
    "issue.cause": "The agent explains what went wrong.",
    "issue.clears": "The agent answers what the customer asks next of a cause or an answer.",
    "issue.complaint": "The customer describes the problem.",
    "issue.echo": "What the customer told, as a few words in the agent's sentence.",
    "issue.heard": "The agent says back what the customer has just answered.",
    "issue.impact": "The customer says why it matters.",
    "issue.loss": "What the trouble has cost, before the customer asks for something.",
    "issue.missed": "The customer says that a stock answer misses the point.",
    "issue.sign": "The customer tells one thing that they see of the problem.",
    "issue.stock": "The answer that the desk keeps for such a problem, general and of no use here.",
    "issue.story": "The customer tells in a few joined sentences what happened.",
    "issue.subject": "The subject line of a case.",
    "issue.summary": "The agent's note on what the customer reports.",
    "issue.wonders": "What the customer asks next, who hears a cause or an answer.",
    "option.clears": "The agent answers what the customer asks of a remedy.",
    "option.article": "How an article states the option and its limit.",
    "option.short": "A remedy in two or three words, once it was named.",
    "option.steps": "What happens next, once the option is arranged.",
    "option.wonders": "What the customer asks of a remedy that is set up.",
    "order_noun": "What a purchase is called in all texts: order, contract, subscription.",
    "place_noun": "Where customers buy: online store, branch, app.",
    "policy.body": "The text of the article on a policy. It names every figure of the policy.",
    "policy.question": "A question of the knowledge task on one figure of the policy.",
    "policy.summary": "The summary of the article on a policy.",
    "policy.title": "The title of the article on a policy.",
    "series": "The first word of a product's name, of any category: a line or a model name.",
    "team": "What the service team is called.",
    "variant": "A word before or after the noun of a product's name, of any category: Mid, Plus.",
}
"""A rule's general name -> what its lines say."""

FACTS: dict[str, str] = {
    "product": "the product's full name",
    "product_short": "what customers call it, without an article",
    "thing": "the product as a customer refers to it, with its article",
    "order_noun": "what a purchase is called",
    "order_number": "the number of the purchase",
    "customer": "the customer's name",
    "issue": "the name of the issue",
    "company": "the company's name",
    "category.for": "whom the product suits",
}
"""Facts that a drafted line may use, as far as its texts have them -> what stands for each."""

OF_ISSUES = ("product", "product_short", "thing", "order_noun", "order_number", "issue", "company")
OF_ARTICLES = ("order_noun", "issue", "company")
SENSIBLE: dict[str, tuple[str, ...]] = {
    "issue.article.title": OF_ARTICLES,
    "issue.article.intro": OF_ARTICLES,
    "issue.article.steps": OF_ARTICLES,
    "issue": OF_ISSUES,
    "option": OF_ISSUES,
    "category.feature": ("product", "company"),
    "Product2.Description.lead": ("product", "company", "category.for"),
    "policy": ("order_noun", "company"),
    "article": ("order_noun", "company"),
    "category": (),
}
"""What a rule's name is or begins with -> the facts that make sense in it; none in all others."""

SAME_FACT = {"Name": "product"}
"""What a text must name -> the slot of a line that does so."""
