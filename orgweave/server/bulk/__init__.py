"""Bulk jobs: API 2.0 (`rest`), API 1.0 (`async_api`), and the worker of both (`work`)."""
