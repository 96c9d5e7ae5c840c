import { awsSignature } from './aws-signature.ts';
import { type Answer, type Behaviour, bearer, type VendorRequest } from './behaviour.ts';

/** Ranking of the documents. Other values are sent unchanged. */
const RANKING = [
  { index: 0, score: 0.75 },
  { index: 1, score: 0.5 },
];

const ranked =
  (write: (place: { index: unknown; score: unknown }) => object) =>
  ({ settings: { ranking } }: VendorRequest): Answer => ({
    body: { results: Array.isArray(ranking) ? ranking.map(write) : ranking },
  });

const key = 'key-of-the-vendor';

const cohere: Behaviour = {
  name: 'cohere-rerank',
  error: (_, message) => ({ message }),
  ...bearer,
  settings: { key, ranking: RANKING },
  operations: {
    'POST /v2/rerank': {
      sample: { body: { model: 'm', query: 'q', documents: ['a', 'b'], top_n: 1 } },
      answer: ranked(({ index, score }) => ({ index, relevance_score: score })),
    },
  },
};

const text = { text: 'a' };

const bedrock: Behaviour = {
  name: 'bedrock-rerank',
  error: (_, message) => ({ message }),
  ...awsSignature,
  settings: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: key, region: 'eu-central-1', ranking: RANKING },
  operations: {
    'POST /rerank': {
      sample: {
        body: {
          queries: [{ type: 'TEXT', textQuery: text }],
          sources: [{ type: 'INLINE', inlineDocumentSource: { type: 'TEXT', textDocument: text } }],
          rerankingConfiguration: {
            type: 'BEDROCK_RERANKING_MODEL',
            bedrockRerankingConfiguration: {
              modelConfiguration: { modelArn: 'arn:aws:bedrock:eu-central-1::foundation-model/m-v1:0' },
              numberOfResults: 1,
            },
          },
        },
      },
      answer: ranked(({ index, score }) => ({ index, relevanceScore: score })),
    },
  },
};

export const rerankBehaviours: readonly Behaviour[] = [bedrock, cohere];
