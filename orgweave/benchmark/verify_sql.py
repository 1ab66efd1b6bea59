"""What the tasks' third computations share: pieces of SQL over the org, for `verify.py`.

A query selects each possible answer with a number; the answer with the largest number is the right
one, if no other has the same. `verify.py` knows the functions `month(moment)` and
`shared(vague_name, name)` besides SQLite's own.
"""

CREATED_IN_WINDOW = """substr(c.CreatedDate, 1, 19) >= :start
    AND substr(c.CreatedDate, 1, 19) < :end"""
HANDED_MORE = """SELECT h.NewValue__c FROM CaseHistory__c h
    WHERE h.Field__c = 'Owner Assignment'
    AND substr(h.CreatedDate, 1, 19) >= :start AND substr(h.CreatedDate, 1, 19) < :end
    GROUP BY 1 HAVING count(DISTINCT h.CaseId__c) > :more_than"""
"""The agents who were handed more than so many cases in the window."""
MEAN_HOURS = """avg((julianday(substr(c.ClosedDate, 1, 19))
    - julianday(substr(c.CreatedDate, 1, 19))) * 24)"""
OF_PRODUCT = """"Case" c JOIN OrderItem i ON i.Id = c.OrderItemId__c
WHERE i.Product2Id = :product"""
