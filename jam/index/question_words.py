"""What a question asks for, by its words, in several languages: tables only."""

from __future__ import annotations


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for line in text.split("\n") for phrase in line.split(",") if phrase.strip())


QUESTION_WORDS: dict[str, tuple[str, ...]] = {
    "time": _phrases(
        """when, what date, which date, what day, which day, what month, which month, what year, which year
        how long, how recently
        wann, seit wann, bis wann, welches jahr, welchem jahr, welchem tag, welchem monat, wie lange
        quand, quelle année, quel jour, quel mois, combien de temps
        cuándo, cuando, qué año, qué día, qué mes, cuánto tiempo
        quando, che anno, che giorno, quale anno, quanto tempo, que ano, que dia
        wanneer, welk jaar, welke dag, hoe lang
        när, vilket år, hur länge, hvornår, når, hvilket år
        когда, в каком году, как долго, kiedy, ne zaman
        什么时候, 何时, 哪天, 哪年, 几月, 多久, いつ, 何日, 何年, どのくらい, 언제, 며칠, 몇 년"""
    ),
    "number": _phrases(
        """how many, how much, how often, how old, how far, how tall, how big, what number, how long
        wie viele, wie viel, wieviel, wieviele, wie oft, wie alt, wie weit, wie lange
        combien, quel âge, quel nombre
        cuántos, cuántas, cuánto, cuánta, qué edad
        quanti, quante, quanto, quanta, quantos, quantas
        hoeveel, hoe oud, hoe vaak, hur många, hur mycket, hvor mange, hvor meget
        сколько, ile, kaç
        多少, 几个, 几次, 几岁, いくつ, いくら, 何人, 何回, 何歳, 얼마, 몇"""
    ),
    "named": _phrases(
        """who, whom, whose, where, which, what name, name of, named, called
        what city, what country, what kind of, what type of
        wer, wen, wem, wessen, wo, wohin, woher, welche, welcher, welches, wie heißt, name
        qui, où, quel, quelle, quels, quelles, nom
        quién, quien, quiénes, dónde, donde, cuál, cuáles, nombre
        chi, dove, quale, quali, nome, quem, onde, qual, quais
        wie, waar, welke, welk, naam, vem, var, vilken, vilka, hvem, hvor, hvilken, hvilke
        кто, где, куда, какой, какая, какие, kto, gdzie, kim, nerede, hangi
        谁, 哪里, 哪儿, 哪个, 哪些, 名字, 誰, どこ, どの, 名前, 누가, 누구, 어디, 어느, 이름"""
    ),
}
"""Kind → phrases, lower-case. Words that are spelt alike in two languages ("wie", "var") may tell too much."""
