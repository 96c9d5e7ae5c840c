import { expect, it } from 'vitest';
import { isUserDefined, translatePath, translateText } from '#src/vocabulary/translate-text.ts';

it('translates words and member names but not quoted values', () => {
  expect(translateText("Input should be 'VENDOR_C' or 'VENDOR_D'; `db_uri` is missing")).toBe(
    "Input should be 'MILVUS' or 'MONGODB_ATLAS'; `mongodb_uri` is missing",
  );
  expect(translateText('No pipeline is called "VENDOR_C"; parse_parameters')).toBe(
    'No pipeline is called "VENDOR_C"; llama_parse_parameters',
  );
});

it('translates paths down to user-defined names', () => {
  const path = ['body', 'parse_parameters', 'premium_llm_mode'];
  expect(translatePath(path)).toEqual(['body', 'llama_parse_parameters', 'gpt4o_mode']);
  const theirs = ['body', 'custom_metadata', 'db_uri'];
  expect(translatePath(theirs)).toEqual(theirs);
  expect([isUserDefined(theirs), isUserDefined(theirs.slice(0, 2)), isUserDefined(path)]).toEqual([
    true,
    false,
    false,
  ]);
});
