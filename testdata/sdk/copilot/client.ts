import { open } from '@vadehq/vade';
import { base, client, play } from './session.js';

const vade = await open();
await play(await vade.registerWithCopilotSdk(client, base));
await vade.close();
