import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createQuestionSet, listQuestions, type QuestionBody, SETS } from '#test/support/evaluations.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Imported {
  added_count: number;
  replaced_count: number;
  skipped_count: number;
  unresolved_count: number;
  problems: string[];
}

const importInto = (id: string, body: object, key?: string) =>
  call<Imported>('POST', `${SETS}/${id}/import`, { body, ...(key && { key }) });
const unique = (name: string) => `${crypto.randomUUID().slice(0, 8)}-${name}`;

describe('an import of questions', () => {
  it('reads CSV, finds files by name, and replaces questions with the same id', async () => {
    const id = await createQuestionSet([]);
    const name = unique('contract.md');
    const pipeline = await createPipeline();
    const [file] = await addFiles(pipeline, { [name]: 'The rent is 900.' });
    const csv = (question: string) =>
      `id,question,tags,file_name,page\nq1,${question},rent;money,${name},2\nq2,Open?,,${name},\n`;
    const first = await importInto(id, { format: 'csv', content: csv('Who pays?') });
    expect(first.body).toEqual({
      added_count: 2,
      replaced_count: 0,
      skipped_count: 0,
      unresolved_count: 0,
      problems: [],
    });
    const again = await importInto(id, { format: 'csv', content: csv('Who pays the rent?') });
    expect(again.body).toMatchObject({ added_count: 0, replaced_count: 2 });
    expect(await listQuestions(id)).toMatchObject([
      {
        text: 'Who pays the rent?',
        origin: 'imported',
        external_id: 'q1',
        tags: ['rent', 'money'],
        expected_pages: [{ document_id: file, page: 2, relevance: 1 }],
      },
      { text: 'Open?', expected_documents: [{ document_id: file }] },
    ]);
  });

  it('refuses everything if one line is wrong, and names the line and the field', async () => {
    const id = await createQuestionSet([]);
    for (const [content, message] of [
      [
        '{"text":"Fine?"}\n{"text":"Where?","expected_documents":[{"file_name":"none.pdf"}]}',
        "line 2: no document has the name 'none.pdf'",
      ],
      ['{"text":"Fine?"}\n{"text":""}', 'line 2: field text'],
      ['{"text":"Fine?"}\nnonsense', 'line 2: no valid JSON'],
      ['{"text":"Where?","expected_pages":[{"page":0,"file_name":"x"}]}', 'line 1'],
    ]) {
      const answer = await call<{ detail: { loc: string[]; msg: string }[] }>(
        'POST',
        `${SETS}/${id}/import`,
        {
          body: { format: 'jsonl', content },
        },
      );
      expect(answer.status).toBe(422);
      expect(answer.body.detail[0]).toMatchObject({
        loc: ['body', 'content'],
        msg: expect.stringContaining(message!),
      });
    }
    expect(await listQuestions(id)).toEqual([]);
  });

  it('maps a BEIR collection to files and texts, and leaves out what the project does not have', async () => {
    const id = await createQuestionSet([]);
    const pipeline = await createPipeline();
    const [byName, byTitle, text] = [unique('d1'), unique('The tides'), unique('d3')];
    const [first, second] = await addFiles(pipeline, {
      [`${byName}.txt`]: 'One.',
      [`${byTitle}.txt`]: 'Two.',
    });
    const body = [{ id: text, text: 'Three.', metadata: {} }];
    expect((await call('PUT', `/api/v1/pipelines/${pipeline}/documents`, { body })).status).toBe(200);
    const content = ['a', 'b', 'c', 'd']
      .map((_id) => JSON.stringify({ _id, text: `Query ${_id}?` }))
      .join('\n');
    const qrels = [
      'query-id\tcorpus-id\tscore',
      `a\t${byName}\t2`,
      `a\t${text}\t1`,
      'a\tmissing\t1',
      'b\ttitled\t1',
      'c\tmissing\t1',
    ].join('\n');
    const corpus = JSON.stringify({ _id: 'titled', title: byTitle, text: '' });
    const imported = await importInto(id, { format: 'beir', content, qrels, corpus });
    expect(imported.body).toEqual({
      added_count: 2,
      replaced_count: 0,
      skipped_count: 2,
      unresolved_count: 2,
      problems: Array(2).fill("no document has the id or name 'missing'"),
    });
    expect(await listQuestions(id)).toMatchObject([
      {
        external_id: 'a',
        expected_documents: [
          { document_id: first, relevance: 2 },
          { document_id: text, relevance: 1 },
        ],
      },
      { external_id: 'b', expected_documents: [{ document_id: second }] },
    ]);
  });

  it('is limited to the files of the project', async () => {
    const name = unique('secret.md');
    await addFiles(await createPipeline(), { [name]: 'Secret.' });
    const { key } = await createTenant();
    const id = await createQuestionSet([], { key });
    const content = `question,file_name\nWhat?,${name}`;
    expect((await importInto(id, { format: 'csv', content }, key)).status).toBe(422);
    expect((await importInto(await createQuestionSet([]), { format: 'csv', content }, key)).status).toBe(404);
  });
});

describe('generated questions', () => {
  it('are taken from the documents of a pipeline in turn', async () => {
    const pipeline = await createPipeline();
    await addFiles(pipeline, {
      'lease.md':
        '# Lease terms\n\nA lease is a contract for the use of property. A deposit is a sum of money.',
      'tides.md': 'A tide is a regular movement of the sea.',
    });
    const id = await createQuestionSet([]);
    const generate = (count: number) =>
      call<{ questions: QuestionBody[] }>('POST', `${SETS}/${id}/generate`, {
        body: { pipeline_id: pipeline, count },
      });
    expect((await generate(2)).body.questions).toEqual([]);
    expect((await sync(pipeline)).status).toBe('SUCCESS');
    const { questions } = (await generate(2)).body;
    expect(questions.map(({ text }) => text).sort()).toEqual(['What is a lease?', 'What is a tide?']);
    expect(questions[0]).toMatchObject({ origin: 'generated', tags: ['definition'] });
    const { key } = await createTenant();
    const own = await createQuestionSet([], { key });
    const body = { pipeline_id: pipeline };
    expect((await call('POST', `${SETS}/${own}/generate`, { body, key })).status).toBe(404);
  });
});
