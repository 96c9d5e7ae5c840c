import { expect, it } from 'vitest';
import { chooseModeByWording } from '#src/retrieval/modes/route.ts';

it.each([
  ['What does the harbour manual say about tides?', 'chunks'],
  ['Who is the lighthouse keeper?', 'chunks'],
  ['Does a full report cost more?', 'chunks'],
  ['Summarize the lighthouse document', 'files_via_content'],
  ['Give me an overview of the tide tables', 'files_via_content'],
  ['the full text of the contract with Oyelaran', 'files_via_content'],
  ['Fasse den Vertrag zusammen', 'files_via_content'],
  ['Zusammenfassung des Vertrags', 'files_via_content'],
  ['résumé du contrat', 'files_via_content'],
  ['кратко: весь документ о маяке', 'files_via_content'],
  ['总结一下灯塔手册', 'files_via_content'],
  ['open harbour.pdf', 'files_via_metadata'],
  ['Summarize annual_report-2023.docx', 'files_via_metadata'],
  ['the document titled Tides of the North', 'files_via_metadata'],
  ['Dokument namens Hafenordnung', 'files_via_metadata'],
  ['документ под названием Устав', 'files_via_metadata'],
])('routes "%s" to %s', (query, mode) => {
  expect(chooseModeByWording(query)).toBe(mode);
});
