"""Chat models: reaching one, paying for it, and reading what it says. Nothing here knows what memory is.

A model is named by a spec (`spec.py`) and asked through `ChatModel.ask` (`chat.py`), within a budget (`meter.py`); what
it replied is stored before it is used (`cache.py`), so that no reply is paid for twice.
"""
