import { languageModels } from '#src/models/language/registry.ts';
import { FakeChat, type LanguageModelFixture } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import type { ChatProtocol } from '#test/vendors/chat/protocols/protocol.ts';
import { VendorSession } from '#test/vendors/client.ts';
import type { Mount } from '#test/vendors/protocol.ts';

export interface ChatVendor
  extends Pick<LanguageModelFixture, 'name' | 'kind' | 'secret' | 'enforcesSchemas' | 'refuses'> {
  settings: Record<string, unknown>;
  protocol: ChatProtocol;
  mount: Mount;
  /** Mount of the token endpoint. */
  tokens?: Mount;
}

/** Returns a fixture whose model calls the vendor server, which validates each request. */
export function chatFixture(vendor: ChatVendor): LanguageModelFixture {
  const { kind, settings, protocol, mount, tokens, ...rest } = vendor;
  const model = new FakeChat();
  const problems: string[] = [];

  async function forward(mounts: Mount[], request: Request): Promise<Response> {
    const session = await VendorSession.open(mounts);
    const answer = await session.fetch(request);
    const { seen, mistakes } = await session.end();
    problems.push(...mistakes, ...seen.flatMap(({ refused }) => refused ?? []));
    return answer;
  }

  return {
    ...rest,
    kind,
    model,
    problems,
    open: (seconds = 20) =>
      languageModels[kind].openWithin(
        settings,
        { silenceSeconds: seconds, totalSeconds: 3 * seconds, retries: 2 },
        modelDeps(),
      ),
    async serve(request) {
      if (tokens && request.url.endsWith('/token')) return forward([tokens], request);
      const asked = protocol.read(await request.clone().json());
      const { text, ending, pieces = [text] } = model;
      const says = { ...mount, settings: { ...mount.settings, text, ending, pieces } };
      return model.answer(asked, () => forward([says], request));
    },
  };
}
