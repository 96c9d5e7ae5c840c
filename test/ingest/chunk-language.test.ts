import { expect, test } from 'vitest';
import { detectChunkLanguage } from '#src/ingest/chunk-language.ts';

const ENGLISH =
  'The contract was signed by both parties in the spring, and the goods were delivered to the warehouse that is next ' +
  'to the harbour. It was agreed that the buyer would pay for them within thirty days of the delivery, or else return ' +
  'all of the goods at their own cost. Who pays for the insurance of the goods on their way was left to a later talk, ' +
  'which has not been held yet, as the parties could not find a date that would suit all of those who had to be there.';
const GERMAN =
  'Der Vertrag wurde im Frühjahr von beiden Seiten unterschrieben, und die Ware ist in das Lager neben dem Hafen ' +
  'gebracht worden. Es wurde vereinbart, dass der Käufer sie innerhalb von dreißig Tagen nach der Lieferung bezahlt ' +
  'oder auf eigene Kosten zurückgibt. Wer die Versicherung der Ware auf dem Weg bezahlt, sollte in einem späteren ' +
  'Gespräch geklärt werden, das noch nicht stattgefunden hat, weil die Parteien keinen Termin finden konnten.';
const RUSSIAN = 'Договор был подписан весной, и товар находится на складе у порта.';

test.each<[string, string, string | undefined, string | undefined]>([
  ['its document’s language', ENGLISH, 'en', 'en'],
  ['another language from beginning to end', GERMAN, 'en', 'de'],
  ['another language, and the document’s did not show', GERMAN, undefined, 'de'],
  ['another script', RUSSIAN, 'en', 'ru'],
  ['another script, few letters', '发票已支付，货物在仓库中。', 'en', 'zh'],
  ['Latin in a Russian document', ENGLISH.slice(0, 100), 'ru', 'en'],
  ['too short to tell', GERMAN.slice(0, 200), 'en', 'en'],
  ['half and half', ENGLISH.slice(0, 250) + GERMAN.slice(0, 300), 'en', 'en'],
  ['a name in another script', `${ENGLISH.slice(0, 60)} Достоевский`, 'en', 'en'],
  [
    'names of another language',
    'El Niño, La Niña, Los Angeles y San José, de la Vega, del Río. '.repeat(3),
    'en',
    'en',
  ],
  ['no words at all', '1234 — 56', 'en', 'en'],
])('a chunk of %s', (_, text, ofDocument, expected) => {
  expect(detectChunkLanguage(text, ofDocument)).toBe(expected);
});
