import { describe, expect, it } from 'vitest';
import { isGeneralQuestion } from '#src/languages/general-questions.ts';

describe('a question about a whole document', () => {
  it.each([
    ['en', 'document about'],
    ['en', 'summarise text'],
    ['de', 'dokument handelt'],
    ['fr', 'résumez documents'],
    ['es', 'trata documento'],
    ['ru', 'документе говорит кратко'],
  ])('in %s has only words such as "%s"', (language, words) => {
    expect(isGeneralQuestion(words, words.split(' '), language)).toBe(true);
  });

  it.each([
    ['en', 'maintenance'],
    ['en', 'textiles'],
    ['de', 'hauptstadt'],
    ['de', 'fassade'],
    ['es', 'tratamiento'],
    ['it', 'parlamento'],
    ['en', 'document kiln'],
  ])('in %s has no other words, such as "%s"', (language, words) => {
    expect(isGeneralQuestion(words, words.split(' '), language)).toBe(false);
  });

  it('is found in scripts without spaces', () => {
    expect(isGeneralQuestion('请总结这份文档的主要内容', [], 'zh')).toBe(true);
    expect(isGeneralQuestion('这份文档的窑在哪里', [], 'zh')).toBe(false);
  });
});
