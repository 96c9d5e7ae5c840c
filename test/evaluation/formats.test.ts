import { describe, expect, it } from 'vitest';
import { readBeir } from '#src/evaluation/formats/beir.ts';
import { readCsv } from '#src/evaluation/formats/csv.ts';
import { readJsonLines } from '#src/evaluation/formats/jsonl.ts';
import { generateFromChunk } from '#src/evaluation/generate.ts';

describe('questions in CSV', () => {
  it('may have several rows, one for each expectation', () => {
    const content =
      '\ufeffid;question;tags;file_name;page;relevance;expected_passage\r\n' +
      '1;"Who pays; and when?";rent; a.pdf;3;2;\r\n1;Who pays;;b.pdf;;;\r\n;Open?;x; ;;;"The ""rent"""\r\n\r\n';
    expect(readCsv(content)).toMatchObject([
      {
        place: 'row 2',
        fields: { text: 'Who pays; and when?', external_id: '1', tags: ['rent'], expects_refusal: false },
        pages: [{ file_name: 'a.pdf', page: 3, relevance: 2 }],
        documents: [{ file_name: 'b.pdf' }],
        passages: [],
      },
      { place: 'row 4', fields: { text: 'Open?', external_id: null }, passages: [{ text: 'The "rent"' }] },
    ]);
  });

  it.each([
    ['question,colour\nWho?,red', "row 1: unknown column 'colour'"],
    ['id\n1', 'row 1: column question is missing'],
    ['question,id\n,1', 'row 2: column question: is empty'],
    ['question,page\nWho?,2', 'row 2: column page: needs a document_id'],
    ['question,file_name,page\nWho?,a,two', "row 2: column page: 'two' is no whole number"],
    ['question,expects_refusal\nWho?,maybe', 'row 2: column expects_refusal: must be true or false'],
    ['question,question\nWho?,Who?', 'row 1: column question occurs twice'],
  ])('%j is refused with the row and the column', (content, message) => {
    expect(() => readCsv(content)).toThrow(message);
  });
});

describe('questions in JSON Lines', () => {
  it('name documents by file name, and errors name the line and the field', () => {
    const line = '{"text":"Who?","expected_pages":[{"file_name":"a.pdf","page":2}],"tags":["x"]}';
    expect(readJsonLines(`\n${line}\n`)).toMatchObject([
      { place: 'line 2', fields: { text: 'Who?', tags: ['x'] }, pages: [{ file_name: 'a.pdf', page: 2 }] },
    ]);
    expect(() => readJsonLines(`${line}\n{"text":`)).toThrow('line 2: no valid JSON');
    expect(() => readJsonLines('{"text":"Who?","expected_documents":[{"page":2}]}')).toThrow(
      'line 1: field expected_documents.0',
    );
    expect(() => readJsonLines('[1]')).toThrow('line 1: ');
  });
});

describe('a collection in the format of BEIR', () => {
  it('has the judged queries, with headers and four columns too', () => {
    const queries = '{"_id":"q1","text":"Who?"}\n{"_id":2,"text":"What?"}\n{"_id":"q3","text":"Unjudged"}';
    const qrels = 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t-1\n2\td1\t1\n';
    const corpus = '{"_id":"d1","title":"Oranges","text":"…"}\n{"_id":"d2","text":"…"}';
    const read = readBeir({ queries, qrels, corpus });
    expect(read).toMatchObject({
      unjudged: 1,
      questions: [
        {
          fields: { text: 'Who?', external_id: 'q1' },
          documents: [
            { benchmark_id: 'd1', relevance: 2 },
            { benchmark_id: 'd2', relevance: 0 },
          ],
        },
        { fields: { external_id: '2' } },
      ],
    });
    expect([...read.titles]).toEqual([['d1', 'Oranges']]);
    expect(readBeir({ queries, qrels: 'q1 0 d1 1\n' }).questions).toHaveLength(1);
    expect(() => readBeir({ queries, qrels: 'q1\td1\thigh' })).toThrow('qrels: line 1');
    expect(() => readBeir({ queries: '{"_id":"q1"}', qrels })).toThrow('content: line 1');
  });
});

describe('generated questions', () => {
  it('come from definitions, table rows and headings, and never from pronouns', () => {
    const text = [
      '## Notice period',
      'The notice period of both parties amounts to three months.',
      'A lease is a contract for the use of property. It is a long story. Eine Miete ist ein Entgelt.',
      '| Fee | Amount |',
      '|---|---|',
      '| Late payment | 40 euros |',
    ].join('\n');
    const found = generateFromChunk({ documentId: 'a', text, headings: ['Contract', 'Notice period'] });
    expect(found.map(({ text: question, tag }) => [tag, question])).toEqual([
      ['table', 'What is the amount of Late payment?'],
      ['definition', 'What is a lease?'],
      ['definition', 'Was ist eine Miete?'],
      ['heading', 'Notice period'],
    ]);
    expect(found[0]).toMatchObject({ passage: '| Late payment | 40 euros |', answer: '40 euros' });
    expect(found[1]).toMatchObject({ passage: 'A lease is a contract for the use of property.' });
    expect(found[3]).toMatchObject({ passage: 'The notice period of both parties amounts to three months.' });
  });

  it('show cells of tables on one line, without marks', () => {
    const text = ['| Pier | **Depth**<br>in metres |', '|---|---|', '| North<br/>A \\| B | 9 |'].join('\n');
    expect(generateFromChunk({ documentId: 'a', text, headings: [] })).toMatchObject([
      { text: 'Depth in metres: North A | B?', answer: '9' },
    ]);
    expect(generateFromChunk({ documentId: 'a', text, headings: [] }, 'en')).toMatchObject([
      { text: 'What is the depth in metres of North A | B?', answer: '9' },
    ]);
  });

  it.each([
    [
      'Preis',
      'Miete im Monat',
      'Die Preise sind ohne Steuer.',
      'Was steht unter „Preis“ bei „Miete im Monat“?',
    ],
    [
      'Prix',
      'Loyer',
      'Les prix sont donnés pour un mois.',
      'Quelle est la valeur de « Prix » pour « Loyer » ?',
    ],
    [
      'Precio',
      'Renta',
      'Los precios son para un mes y no incluyen nada.',
      '¿Cuál es el valor de «Precio» para «Renta»?',
    ],
    ['Prezzo', 'Affitto', 'I prezzi sono per un mese e non di più.', 'Prezzo: Affitto?'],
  ])('ask for cells in the language of the document: %s', (column, row, sentence, question) => {
    const text = [sentence, '', `| | ${column} |`, '|---|---|', `| ${row} | 40 |`].join('\n');
    const found = generateFromChunk({ documentId: 'a', text, headings: [] });
    expect(found.filter(({ tag }) => tag === 'table')).toMatchObject([{ text: question, answer: '40' }]);
  });

  it.each([
    ['a number as header', '| Pier | 2026 |', '| North | 9 |'],
    ['a sentence as header', '| Pier | How deep the water is. |', '| North | 9 |'],
    ['an empty header', '| Pier | |', '| North | 9 |'],
    ['two equal headers', '| Pier | Depth | Depth |', '| North | 9 | 8 |'],
    [
      'a sentence in the first column',
      '| Pier | Depth |',
      '| This pier is closed at night; ask the guard. |9|',
    ],
    ['a long first cell', '| Pier | Depth |', `| ${'very '.repeat(9)}long | 9 |`],
    ['a number in the first column', '| Pier | Depth |', '| 12 | 9 |'],
    ['an empty first cell', '| Pier | Depth |', '| | 9 |'],
    ['an address in the first column', '| Pier | Depth |', '| https://a.example | 9 |'],
  ])('are none of a table with %s', (_, header, row) => {
    const text = [header, '|---|---|', '| South | 7 |', row].join('\n');
    expect(generateFromChunk({ documentId: 'a', text, headings: [] })).toEqual([]);
  });

  it('are none in a chunk without structure, and few in a large chunk', () => {
    expect(generateFromChunk({ documentId: 'a', text: 'Some words.', headings: [] })).toEqual([]);
    const text = 'A lease is a contract. '.repeat(5_000);
    expect(generateFromChunk({ documentId: 'a', text, headings: [] })).toHaveLength(20);
  });
});
