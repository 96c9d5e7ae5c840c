import type { ChatBody, ChatSession } from './corpus.ts';

type ChatData = NonNullable<NonNullable<ChatBody>['data']>;
export type RetrievalParameters = NonNullable<ChatData['retrieval_parameters']>;
export type LanguageParameters = NonNullable<ChatData['llm_parameters']>;

/** Chat parameters. A parameter that is absent uses the default of the index. */
export interface ChatParameters {
  retrieval_parameters: RetrievalParameters;
  llm_parameters: LanguageParameters;
}

export const INDEX_DEFAULTS: ChatParameters = { retrieval_parameters: {}, llm_parameters: {} };

export const getLastUsedParameters = ({ retrieval_params, llm_params }: ChatSession): ChatParameters => ({
  retrieval_parameters: dropUnset(retrieval_params),
  llm_parameters: dropUnset(llm_params),
});

export const countChangedParameters = ({ retrieval_parameters, llm_parameters }: ChatParameters): number =>
  Object.keys(dropUnset(retrieval_parameters)).length + Object.keys(dropUnset(llm_parameters)).length;

/** Removes members that are undefined, null or an empty text. */
export const dropUnset = <Members extends object>(members: Members | null | undefined): Members =>
  Object.fromEntries(
    Object.entries(members ?? {}).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  ) as Members;
