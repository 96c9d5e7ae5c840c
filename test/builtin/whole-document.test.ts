import { describe, expect, it } from 'vitest';
import { asksForWholeDocument } from '#src/builtin/answering/whole-document.ts';

describe('a question about a whole document', () => {
  it.each([
    'What is this document about?',
    'Summarise the document',
    'Summarize this',
    'Give me a summary',
    'Worum geht es in diesem Dokument?',
    'Fasse das zusammen',
    'De quoi parle ce document ?',
    '¿De qué trata este documento?',
    'Di cosa parla questo documento?',
    'Do que trata este documento?',
    'Waar gaat dit document over?',
    'O czym jest ten dokument?',
    'Vad handlar dokumentet om?',
    'Hvad handler dokumentet om?',
    'Hva handler dokumentet om?',
    'Mistä tämä asiakirja kertoo?',
    'Bu belge ne hakkında?',
    'Despre ce este acest document?',
    'O čem je tento dokument?',
    'O čom je tento dokument?',
    'Miről szól ez a dokumentum?',
    'О чём этот документ?',
    'Про що цей документ?',
    'За какво е този документ?',
    'О чему је овај документ?',
    'Περί τίνος πρόκειται αυτό το έγγραφο;',
    'Tài liệu này nói về gì?',
    'Dokumen ini tentang apa?',
    'ما موضوع هذه الوثيقة؟',
    'לסכם את המסמך',
    'यह दस्तावेज़ किस बारे में है?',
    '请总结这份文档的主要内容',
    'この文書は何についてですか',
    '이 문서는 무엇에 관한 것입니까?',
    'เอกสารนี้เกี่ยวกับอะไร',
  ])('is recognized: %s', (question) => {
    expect(asksForWholeDocument(question)).toBe(true);
  });

  it.each([
    'When was the report?',
    'Who wrote this document?',
    'How long is the document?',
    'Is there a document?',
    'What does article 5 say?',
    'What is this?',
    'What about maintenance?',
    'What are the textiles about?',
    'What is the document about the kiln about?',
    'Was ist die Hauptstadt?',
    'Wo ist das Dokument?',
    'Bu ne?',
    'Dónde está el documento?',
    '这份文档的窑在哪里',
    '文書の日付は',
    '이 문서는 언제 작성되었습니까?',
    '__proto__ document about',
    '?',
    '',
    `Summarize this ${'document '.repeat(40)}`,
  ])('is distinguished from other questions: %s', (question) => {
    expect(asksForWholeDocument(question)).toBe(false);
  });
});
