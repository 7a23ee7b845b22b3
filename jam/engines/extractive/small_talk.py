"""Small talk: the words and phrases that any conversation has and none is about.

A memo made of a conversation's most usual words would read "great, thanks, really". What lies near these phrases (in
the space of the static vectors) is therefore counted less; what stands in the list of words is not counted at all.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from jam.index.embedder import Vectors, static_embedder

_WORDS = """
    absolutely actually again ah alright also always amazing anyway anyways appreciate awesome aww away awhile bad
    believe best better bit bro bye chat chatting check come coming congrats congratulations cool couple crazy cute
    day days definitely doing done dude else enjoy even ever every everything exactly excited exciting fantastic feel
    feeling feels fine finally first forward fun funny getting girl give glad go goes going gonna gone good goodbye got
    gotta great guess guy guys haha happen happened happy hear heard hello help helpful helps hey hi hope hoping huge
    hug idea incredible indeed inspiring interesting kind kinda know last lately let lets like likely little lol long
    look looking looks lot lots love loved lovely loving luck made make makes making man many matter maybe mean means
    mind moment morning much must need needs never new next nice night nope nothing now ok okay one ones oh ooh others
    part perfect perhaps people place please pleasure pretty probably proud put quite ready real really remember right
    said say saying says see seeing seem seems send sent share shared sharing someone something sometimes soon sorry
    sounds special start started still stuff super support sure take taking talk talking tell thank thanks thing things
    think thinking thought time times today together tomorrow tonight took totally tried true try trying two use used
    useful using usual usually want wanted wanna watch way ways week weekend weeks welcome well went whatever wish
    wonderful wondering words work works world worth would wow yeah year years yep yes yesterday yet yup image photo
    picture pic pics btw omg thinkin gettin doin tough rewarding photos
    ja nein danke bitte gut schön genau klar toll super gern heute gestern morgen mal schon noch ganz sehr doch
    merci bonjour salut oui bien gracias hola bueno vale grazie ciao bene obrigado sim"""
WORDS = frozenset(_WORDS.split())

_PHRASES = (
    "hey, good to see you, how have you been?",
    "long time no talk, how's it going, anything new?",
    "thanks so much, that's really great to hear",
    "wow, that sounds awesome, I'm so happy for you",
    "take care, talk to you soon, bye",
    "I appreciate your support, it means a lot to me",
    "you're welcome, glad I could help",
    "that's so true, yeah, I totally agree",
    "sure, let me know if you need anything else",
    "great question, I'd be happy to help with that",
)


@lru_cache(maxsize=1)
def small_talk() -> Vectors:
    """The direction of small talk: a unit vector."""
    mean = static_embedder().encode(_PHRASES).mean(axis=0)
    direction: Vectors = mean / np.linalg.norm(mean)
    return direction
