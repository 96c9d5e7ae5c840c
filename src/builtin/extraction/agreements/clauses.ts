import { splitIdentifier } from '#src/lib/text/words.ts';
import type { Candidate } from '../evidence.ts';
import type { Field } from '../fields.ts';
import type { Prose } from '../prose/index.ts';
import { inferAnswerForm } from '../prose/question.ts';
import { findTypedSpans, type TypedSpan } from '../prose/spans.ts';
import type { Locale } from '../read.ts';

// Agreements state their law and their term in sentences of a fixed form, whatever words a schema uses to ask
// for them. The words are given in English, German, French, Spanish, Italian and Dutch.

/** Matches fields that ask which law governs an agreement. */
const ASKS_LAW =
  /(?<!\p{L})(?:laws?|jurisdiction|recht|rechtswahl|droit|loi|ley|derecho|legge|diritto)(?!\p{L})/iu;
/** Matches a sentence that says which law governs an agreement. */
const GOVERNS =
  /(?<!\p{L})(?:govern(?:ed|s|ing)|constru(?:ed|ction)|interpreted|unterlieg(?:t|en)|gilt|anwendbar|anzuwenden|régi[es]*|soumis|rige|regirá|regido|disciplinato|regolato|beheerst|toepassing)(?!\p{L})/iu;
/** Matches the words before the place of a law, such as "laws of the State of". */
const LAW_OF =
  /(?<!\p{L})(?:laws?|recht[es]*|gesetze[n]?|droit|lois?|leyes|ley|legislación|derecho|legg[ei]|diritto|wetten)\s(?:of|der|des|von|du|de la|de|della|dello|del|van)\s(?:(?:the|la|el|lo|het)\s)?(?:(?:state|commonwealth|province|provincia|stato|estado|état)\s(?:of|de|di)\s(?:the\s)?)?/giu;
/** Matches the words before a name that the word for law follows, as in "governed by New York law". */
const LAW_BY =
  /(?<!\p{L})(?:by|under|with)\s(?:the\s)?(?=\p{Lu}[\p{L}. ]{2,30}\s(?:state\s)?laws?(?!\p{L}))/gu;
/** Matches words at the end of a place's name that say what kind of place it is, or that it is a law. */
const PLACE_TAIL = /,?\s(?:State|Laws?|USA?|U\.S\.(?:A\.?)?)$/;
/**
 * Matches the first word of a clause after the name of a place. In a text in capitals, only this word shows where the
 * name ends.
 */
const GOES_ON =
  /\s(?:applicable|applied|appl(?:y|ies)|without|as|and|in|for|to|excluding|exclusive|other|notwithstanding|regardless|irrespective|unter|ohne|sans|sin|senza|zonder)(?!\p{L})/iu;
/** Length of the text after the words for the law in which its place is searched for. */
const PLACE_LENGTH = 80;

/** Matches fields that ask for a notice or a renewal, whose length is not the term of an agreement. */
const ASKS_NOTICE = /notice|renew|kündig|preav|préavis|preaviso|opzeg/iu;
/** Matches the words by which a sentence speaks of the agreement or of its duties. */
const AGREEMENT =
  /(?<!\p{L})(?:(?:this|the) (?:\p{L}+ )?(?:agreement|contract|lease|licen[cs]e|term|initial term)|term of|obligations|vertrag|vereinbarung|geheimhaltung\p{L}{0,12}|contrat|accord|contrato|acuerdo|contratto|accordo|overeenkomst)(?!\p{L})/iu;
/** Matches the words that say how long something lasts. */
const LASTS =
  /(?<!\p{L})(?:continues?|remains?|expires?|terminates?|ends?|effective|effect|force|lasts?|surviv\p{L}{1,3}|runs?|binding|term|gilt|läuft|dauert|dauer|laufzeit|endet|vigueur|durée|dure|expire|vigor|vigente|duración|durar\p{L}{1,2}|durata|duur|geldt)(?!\p{L})/iu;
/** Matches the words before a length of time that belongs to something else than the term. */
const OTHER_TIME =
  /(?:notice|within|least|prior|renew\p{L}{0,4}|successive|additional|further|every|each|kündigung\p{L}{0,8}|innerhalb|binnen|préavis|preaviso|preavviso|opzegtermijn)(?:\s\S{1,20}){0,5}\s?$/iu;
const NOTICE_AFTER =
  /^(?:[’']s?)?\s(?:\S{1,20}\s){0,3}(?:notice|prior|before|preaviso|préavis|vor|zum)(?!\p{L})/iu;
/** Characters before a length of time that are searched for the words of another time. */
const CONTEXT = 60;

/** Returns the law or the term that an agreement states in the usual form, if the field asks for one. */
export function findClauseCandidates(field: Field, prose: Prose, locale: Locale): Candidate[] {
  if (field.kind !== 'text') return [];
  const answer = inferAnswerForm(field);
  const asked = `${splitIdentifier(field.name).join(' ')} ${field.description}`;
  if (answer === 'place' && ASKS_LAW.test(asked)) return findLaw(field, prose, locale);
  if (answer === 'duration' && !ASKS_NOTICE.test(asked)) return findTerm(field, prose, locale);
  return [];
}

/** Matches a length of time in hours, or in less than 30 days or 4 weeks. */
const TOO_SHORT =
  /^(?:\d+ (?:h|or[ea]|hor|heur|stund|uur|uren)\p{L}*|[12]?\d (?:d[aií]|tag|jour|giorn)\p{L}*|[1-3] (?:week|woche|semai?n|settiman|weken)\p{L}*)$/iu;

/** Matches the words by which a field asks how long a duty lasts. */
const DUTY = /(?<!\p{L})(?:dut(?:y|ies)|secrecy|confidentiality)(?!\p{L})/iu;
/** Matches a length of time in years. */
const IN_YEARS = /^\d+ (?:year|jahr|an(?:s|n[ée]e?s?|ni?|no)?|años?|anos?|jaar)\p{L}{0,2}$/iu;

/**
 * Returns whether a value can be the term of an agreement or the notice that ends it, if the field asks for one of
 * them. Agreements last for months and years, and shorter times in them are periods for answers, objections and
 * payments. Notice is given days, weeks or months before.
 */
export function canBeTerm(field: Field, value: unknown): boolean {
  if (field.kind !== 'text') return true;
  const asked = `${splitIdentifier(field.name).join(' ')} ${field.description}`;
  if (ASKS_NOTICE.test(asked)) return !IN_YEARS.test(String(value));
  return !(AGREEMENT.test(asked) || DUTY.test(asked)) || !TOO_SHORT.test(String(value));
}

function findLaw(field: Field, prose: Prose, locale: Locale): Candidate[] {
  return prose.passages.flatMap(({ text, page }) => {
    if (!GOVERNS.test(text)) return [];
    return [...text.matchAll(LAW_OF), ...text.matchAll(LAW_BY)].flatMap((match) => {
      const from = match.index + match[0].length;
      const after = text.slice(from, from + PLACE_LENGTH);
      const [place] = findTypedSpans('place', field, after, locale, prose.isStopWord);
      if (!place || place.start > 0) return [];
      const value = place.text.split(GOES_ON, 1)[0]!.replace(PLACE_TAIL, '');
      return [toCandidate({ ...place, value, text: value }, text, page, 1)];
    });
  });
}

function findTerm(field: Field, prose: Prose, locale: Locale): Candidate[] {
  return prose.passages.flatMap(({ text, page, heading }) => {
    const own = AGREEMENT.exec(text);
    const lasts = own && LASTS.test(text);
    if (!lasts) return [];
    const titled = LASTS.test(heading) ? 1 : 0.8;
    return findTypedSpans('duration', field, text, locale, prose.isStopWord)
      .filter(({ start, end, value }) => {
        if (!canBeTerm(field, value)) return false;
        const before = text.slice(Math.max(0, start - CONTEXT), start);
        return (
          start > own.index && !OTHER_TIME.test(before) && !NOTICE_AFTER.test(text.slice(end, end + CONTEXT))
        );
      })
      .slice(0, 1)
      .map((span) => toCandidate(span, text, page, titled));
  });
}

const toCandidate = (
  span: Pick<TypedSpan, 'value' | 'text'>,
  sentence: string,
  page: number,
  meaning: number,
): Candidate => ({
  value: span.value,
  spans: [{ page, text: span.text }],
  sentence,
  features: { meaning, type: 1 },
});
