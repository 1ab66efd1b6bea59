"""From one company profile to a whole CRM org: plan, sample, write, verify, export."""
