"""Payments: customers and subscriptions at Stripe, what was read of them, the inbox of events."""
