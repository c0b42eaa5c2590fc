import { base, client, play } from './session.js';
import { vadeOptions } from './vade-options.js';

await play(await client.createSession(vadeOptions(base)));
