import { describe, expect, it } from 'vitest';
import { bedrock } from '#src/models/reranking/bedrock.ts';
import { rerankCandidate, rerankerSuite } from '#test/suites/reranker.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { vendorRanker } from './vendor-ranker.ts';

const KEY = 'secret-access-key-of-nobody';
const settings = {
  model: 'cohere.rerank-v3-5:0',
  region: 'eu-central-1',
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: KEY,
};
const mount = { vendor: 'bedrock-rerank', settings: { secretAccessKey: KEY } };
const open = (given: object = {}) => bedrock.open({ ...settings, ...given }, modelDeps());

interface Body {
  queries: { textQuery: { text: string } }[];
  sources: { inlineDocumentSource: { textDocument: { text: string } } }[];
  rerankingConfiguration: { bedrockRerankingConfiguration: { numberOfResults: number } };
}

rerankerSuite({
  name: 'Bedrock',
  open,
  ...vendorRanker(mount, (body) => {
    const { queries, sources, rerankingConfiguration: wanted } = body as Body;
    return {
      query: queries[0]!.textQuery.text,
      documents: sources.map(({ inlineDocumentSource }) => inlineDocumentSource.textDocument.text),
      topN: wanted.bedrockRerankingConfiguration.numberOfResults,
    };
  }),
});

describe('Bedrock', () => {
  const vendors = useVendors(mount);
  const rank = (given: object) => open(given).rerank('q', [rerankCandidate('a', 'b')]);

  it('validates the request signature, and errors do not reveal the key', async () => {
    expect(await bedrock.check(settings, modelDeps())).toContain('bedrock/cohere.rerank-v3-5:0 answers');
    const error = (await rank({ secret_access_key: 'another-key' }).catch(
      (error: unknown) => error,
    )) as Error;
    expect(error).toMatchObject({ code: 'upstream', retryable: false, status: 403 });
    expect(error.message).not.toContain('another-key');
    const { seen } = await vendors.current.state();
    expect(seen.map(({ status }) => status)).toEqual([200, 403]);
  });

  it('accepts a model ARN or a model id', async () => {
    const arn = 'arn:aws:bedrock:eu-central-1::foundation-model/amazon.rerank-v1:0';
    await rank({ model: arn });
    await rank({});
    const { seen } = await vendors.current.state();
    const arns = seen.map(({ body }) => /"modelArn":"([^"]+)"/.exec(JSON.stringify(body))?.[1]);
    expect(arns).toEqual([arn, 'arn:aws:bedrock:eu-central-1::foundation-model/cohere.rerank-v3-5:0']);
  });
});
