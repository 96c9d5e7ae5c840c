import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import {
  createQuestionSet,
  listQuestions,
  type QuestionBody,
  type QuestionSetBody,
  SETS,
} from '#test/support/evaluations.ts';
import { valuesOf } from '#test/support/inserted-rows.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const readSet = async (id: string) => (await call<QuestionSetBody>('GET', `${SETS}/${id}`)).body;

describe('question sets', () => {
  it('are created, listed, renamed and deleted with their questions', async () => {
    const name = `set ${crypto.randomUUID()}`;
    const created = await call<QuestionSetBody>('POST', SETS, { body: { name, description: 'Contracts' } });
    expect(created).toMatchObject({ status: 200, body: { name, version: 1, question_count: 0 } });
    const { id } = created.body;
    expect((await call('POST', SETS, { body: { name } })).status).toBe(409);
    const listed = await call<{ items: QuestionSetBody[] }>('GET', `${SETS}?name=${name}`);
    expect(listed.body.items).toEqual([created.body]);
    const renamed = `renamed ${name}`;
    const changed = await call<QuestionSetBody>('PUT', `${SETS}/${id}`, { body: { name: renamed } });
    expect(changed.body).toMatchObject({ name: renamed, description: 'Contracts', version: 1 });
    const body = { questions: [{ text: 'Who pays?' }] };
    expect((await call('POST', `${SETS}/${id}/questions`, { body })).status).toBe(200);
    expect((await call('DELETE', `${SETS}/${id}`)).status).toBe(204);
    expect((await call('GET', `${SETS}/${id}`)).status).toBe(404);
    expect(await valuesOf('questions', 'id', `question_set_id = '${id}'`)).toEqual([]);
  });

  it('keep questions in order, replace those with a known external id, and count versions', async () => {
    const file = await upload('rent.md', 'The rent is 900.');
    const id = await createQuestionSet([
      { text: 'First?', external_id: 'a', expected_pages: [{ document_id: `dfl-${file}`, page: 2 }] },
      { text: 'Second?', tags: ['rent', 'rent'], expected_passages: [{ text: 'The  RENT', relevance: 2 }] },
    ]);
    expect(await readSet(id)).toMatchObject({ version: 2, question_count: 2 });
    const third = { text: 'Third?', expects_refusal: true, origin: 'collected' };
    const body = { questions: [third, { text: 'First again?', external_id: 'a' }] };
    const added = await call<{ questions: QuestionBody[] }>('POST', `${SETS}/${id}/questions`, { body });
    expect(added.body.questions).toHaveLength(2);
    const [first, second, last] = await listQuestions(id);
    expect([first?.text, second?.text, last?.text]).toEqual(['First again?', 'Second?', 'Third?']);
    expect(first).toMatchObject({ origin: 'manual', external_id: 'a', expected_pages: [] });
    expect(second).toMatchObject({
      tags: ['rent'],
      expected_passages: [{ text: 'The  RENT', relevance: 2 }],
    });
    expect(last).toMatchObject({ expects_refusal: true, origin: 'collected' });
    const path = `${SETS}/${id}/questions/${second!.id}`;
    const changed = await call<QuestionBody>('PUT', path, { body: { expected_answer: '900', tags: null } });
    expect(changed.body).toMatchObject({
      text: 'Second?',
      tags: [],
      expected_answer: '900',
      expected_passages: [{ text: 'The  RENT' }],
    });
    expect((await call('DELETE', `${SETS}/${id}/questions/${first!.id}`)).status).toBe(204);
    expect(await readSet(id)).toMatchObject({ version: 5, question_count: 2 });
    const paged = await call<{ items: QuestionBody[]; next_page_token: string; total_size: number }>(
      'GET',
      `${SETS}/${id}/questions?page_size=1`,
    );
    expect(paged.body).toMatchObject({ items: [{ text: 'Second?' }], total_size: 2 });
    const next = `${SETS}/${id}/questions?page_size=1&page_token=${paged.body.next_page_token}`;
    expect((await call<{ items: QuestionBody[] }>('GET', next)).body.items).toMatchObject([
      { text: 'Third?' },
    ]);
    expect(await listQuestions(id, '?origin=collected')).toHaveLength(1);
  });

  it('refuse unknown documents and contradictory or oversized questions, all or none', async () => {
    const id = await createQuestionSet([]);
    const stranger = await createTenant();
    const foreign = await upload('other.md', 'Not yours.', { key: stranger.key });
    for (const question of [
      { text: ' ' },
      { text: 'x'.repeat(4_001) },
      { text: 'Where?', expected_documents: [{ document_id: foreign }] },
      { text: 'Where?', expected_pages: [{ document_id: 'nowhere', page: 0 }] },
      { text: 'Where?', expects_refusal: true, expected_answer: 'Here' },
      { text: 'Where?', expected_passages: Array.from({ length: 10 }, () => ({ text: 'x'.repeat(4_000) })) },
    ]) {
      const body = { questions: [{ text: 'Fine?' }, question] };
      const answer = await call<{ detail: { loc: unknown[] }[] }>('POST', `${SETS}/${id}/questions`, {
        body,
      });
      expect(answer.status).toBe(422);
      expect(answer.body.detail[0]?.loc.slice(0, 3)).toEqual(['body', 'questions', 1]);
    }
    expect(await readSet(id)).toMatchObject({ version: 1, question_count: 0 });
  });

  it('show which questions are affected by changed and deleted documents', async () => {
    const [kept, deleted] = [await upload('kept.md', 'Kept.'), await upload('gone.md', 'Gone.')];
    const pipeline = await createPipeline();
    const documents = `/api/v1/pipelines/${pipeline}/documents`;
    const document = `text-${crypto.randomUUID()}`;
    const put = (text: string) =>
      call('PUT', documents, { body: [{ id: document, text, metadata: {} }] }).then(({ status }) => status);
    expect(await put('Oranges.')).toBe(200);
    const id = await createQuestionSet(
      [kept, deleted, document].map((document_id) => ({
        text: 'What?',
        expected_documents: [{ document_id }],
      })),
    );
    expect((await listQuestions(id)).map((each) => each.is_affected)).toEqual([false, false, false]);
    expect((await call('DELETE', `/api/v1/files/${deleted}`)).status).toBe(204);
    expect(await put('Lemons.')).toBe(200);
    const questions = await listQuestions(id);
    expect(questions.map((each) => each.is_affected)).toEqual([false, true, true]);
    expect(questions[1]?.affected_documents).toEqual([{ document_id: deleted, name: 'gone.md' }]);
    expect(await listQuestions(id, '?is_affected=true')).toHaveLength(2);
    const path = `${SETS}/${id}/questions/${questions[2]!.id}`;
    expect((await call<QuestionBody>('PUT', path, { body: {} })).body.is_affected).toBe(false);
    expect(await listQuestions(id, '?is_affected=true')).toHaveLength(1);
  });

  it('keep all questions that requests add at the same time', async () => {
    const id = await createQuestionSet([]);
    const add = (text: string) =>
      call('POST', `${SETS}/${id}/questions`, { body: { questions: [{ text }, { text }] } });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(add));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await readSet(id)).toMatchObject({ version: 5, question_count: 8 });
  });

  it('lose no change if requests change the same question at the same time', async () => {
    const id = await createQuestionSet([{ text: 'Who?' }]);
    const [question] = await listQuestions(id);
    const path = `${SETS}/${id}/questions/${question!.id}`;
    const changes = [{ text: 'Who pays?' }, { tags: ['rent'] }, { expected_answer: 'The tenant' }];
    await Promise.all(changes.map((body) => call('PUT', path, { body })));
    expect(await listQuestions(id)).toMatchObject([
      { text: 'Who pays?', tags: ['rent'], expected_answer: 'The tenant' },
    ]);
  });

  it('are invisible to other tenants', async () => {
    const id = await createQuestionSet([{ text: 'Who?' }]);
    const [question] = await listQuestions(id);
    const { key } = await createTenant();
    const path = `${SETS}/${id}`;
    for (const [method, at, body] of [
      ['GET', path],
      ['PUT', path, { name: 'Mine' }],
      ['DELETE', path],
      ['GET', `${path}/questions`],
      ['POST', `${path}/questions`, { questions: [{ text: 'x' }] }],
      ['PUT', `${path}/questions/${question!.id}`, { text: 'x' }],
      ['DELETE', `${path}/questions/${question!.id}`],
    ] as const) {
      expect((await call(method, at, { key, ...(body && { body }) })).status).toBe(404);
    }
    const other = await createQuestionSet([], { key });
    expect((await call('DELETE', `${SETS}/${other}/questions/${question!.id}`, { key })).status).toBe(404);
    expect(await listQuestions(id)).toHaveLength(1);
  });
});
