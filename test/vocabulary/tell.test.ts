import { expect, it } from 'vitest';
import { isCallers, tell, tellPath } from '#src/vocabulary/tell.ts';

it('tells words and names of members, and repeats what is quoted', () => {
  expect(tell("Input should be 'VENDOR_C' or 'VENDOR_D'; `db_uri` is missing")).toBe(
    "Input should be 'MILVUS' or 'MONGODB_ATLAS'; `mongodb_uri` is missing",
  );
  expect(tell('No pipeline is called "VENDOR_C"; parse_parameters')).toBe(
    'No pipeline is called "VENDOR_C"; llama_parse_parameters',
  );
});

it('names paths down to what callers name themselves', () => {
  const path = ['body', 'parse_parameters', 'premium_llm_mode'];
  expect(tellPath(path)).toEqual(['body', 'llama_parse_parameters', 'gpt4o_mode']);
  const theirs = ['body', 'custom_metadata', 'db_uri'];
  expect(tellPath(theirs)).toEqual(theirs);
  expect([isCallers(theirs), isCallers(theirs.slice(0, 2)), isCallers(path)]).toEqual([true, false, false]);
});
