// What both programs of TestCopilotSDK share: a client, a configuration, and the prompts.
import { approveAll, CopilotClient } from '@github/copilot-sdk';
import type { CopilotSession, SessionConfig } from '@github/copilot-sdk';

const [url, home, agent] = process.argv.slice(2) as [string, string, string | undefined];

export const client = new CopilotClient({
  workingDirectory: process.cwd(),
  baseDirectory: `${home}/.copilot`,
  useLoggedInUser: false,
  env: { HOME: home, PATH: process.env.PATH, COPILOT_OFFLINE: 'true', TRACKER_TOKEN: 'from-the-environment' },
});

export const base: SessionConfig = {
  model: 'gpt-4.1',
  provider: { type: 'openai', baseUrl: `${url}/v1`, apiKey: 'none' },
  workingDirectory: process.cwd(),
  onPermissionRequest: approveAll,
  systemMessage: { content: 'What the program says itself.' },
  ...(agent && { agent }),
};

export async function play(session: CopilotSession): Promise<void> {
  for (const prompt of ['/review-pr 7', 'Go on.']) {
    const reply = await session.sendAndWait({ prompt });
    console.log(reply?.data.content);
  }
  await session.disconnect();
  await client.stop();
}
