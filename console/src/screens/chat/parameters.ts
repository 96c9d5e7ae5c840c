import type { ChatBody, ChatSession } from './corpus.ts';

type Given = NonNullable<NonNullable<ChatBody>['data']>;
export type RetrievalParameters = NonNullable<Given['retrieval_parameters']>;
export type LanguageParameters = NonNullable<Given['llm_parameters']>;

/** What is left out is as the index has it. */
export interface ChatParameters {
  retrieval_parameters: RetrievalParameters;
  llm_parameters: LanguageParameters;
}

export const AS_THE_INDEX_HAS_IT: ChatParameters = { retrieval_parameters: {}, llm_parameters: {} };

/** Those that a conversation was last asked with. */
export const lastUsed = ({ retrieval_params, llm_params }: ChatSession): ChatParameters => ({
  retrieval_parameters: given(retrieval_params),
  llm_parameters: given(llm_params),
});

/** How many differ from what the index has. */
export const changedCount = ({ retrieval_parameters, llm_parameters }: ChatParameters): number =>
  Object.keys(given(retrieval_parameters)).length + Object.keys(given(llm_parameters)).length;

/** Without what is not set. */
export const given = <Members extends object>(members: Members | null | undefined): Members =>
  Object.fromEntries(
    Object.entries(members ?? {}).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  ) as Members;
