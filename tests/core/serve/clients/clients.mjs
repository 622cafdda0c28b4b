// The official clients of OpenAI and Ollama against a running server: node clients.mjs URL. Exit 0; 1 with the reason; 77 (skipped)
// if the packages are not installed (npm install openai ollama, in this folder or above).
let OpenAI, Ollama;
try {
  OpenAI = (await import('openai')).default;
  Ollama = (await import('ollama')).Ollama;
} catch {
  console.log('skipped: the packages openai and ollama are not installed');
  process.exit(77);
}
const url = process.argv[2];
const model = process.argv[3] ?? 'builtin-model';
const messages = [{ role: 'user', content: 'Hello' }];

function check(right, what, found) {
  if (right) return;
  console.error(`wrong: ${what}: ${JSON.stringify(found)}`);
  process.exit(1);
}

const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
const models = (await openai.models.list()).data.map((m) => m.id);
check(models.includes(model), 'models.list', models);

const whole = await openai.chat.completions.create({ model, messages, temperature: 0, max_tokens: 24 });
const text = whole.choices[0].message.content;
check(text.length > 0 && whole.usage.completion_tokens > 0, 'chat', whole);

let streamed = '', usage;
const stream = await openai.chat.completions.create({
  model, messages, temperature: 0, max_tokens: 24, stream: true, stream_options: { include_usage: true },
});
for await (const chunk of stream) {
  streamed += chunk.choices[0]?.delta?.content ?? '';
  usage = chunk.usage ?? usage;
}
check(streamed === text, 'the stream is the whole text', streamed);
check(usage?.completion_tokens === whole.usage.completion_tokens, 'usage of the stream', usage);

const helper = openai.chat.completions.stream({ model, messages, temperature: 0, max_tokens: 24 });
check((await helper.finalContent()) === text, 'the client\'s stream helper', await helper.finalContent());

const tools = [{ type: 'function', function: { name: 'weather', description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } } }];
const withTools = await openai.chat.completions.create({ model, messages, tools, temperature: 0, max_tokens: 24 });
check(['stop', 'length', 'tool_calls'].includes(withTools.choices[0].finish_reason), 'tools', withTools);

const completion = await openai.completions.create({ model, prompt: 'Hello', temperature: 0, max_tokens: 4 });
check(completion.object === 'text_completion' && completion.choices[0].text.length > 0, 'completions', completion);

const refused = await openai.chat.completions.create({ model: 'another', messages }).catch((error) => error);
check(refused instanceof OpenAI.NotFoundError && refused.code === 'model_not_found', 'the error of an unknown model', refused);
const wrong = await openai.chat.completions.create({ model, messages, temperature: 1000 }).catch((error) => error);
check(wrong instanceof OpenAI.BadRequestError && wrong.param === 'temperature', 'the error of a wrong field', wrong);

const ollama = new Ollama({ host: url });
check((await ollama.list()).models[0].name === model, 'list');
const options = { temperature: 0, num_predict: 24 };
const chat = await ollama.chat({ model, messages, options });
check(chat.message.content === text && chat.done, 'Ollama\'s chat', chat);
let lines = '';
for await (const part of await ollama.chat({ model, messages, options, stream: true })) lines += part.message.content;
check(lines === text, 'Ollama\'s stream', lines);
const generated = await ollama.generate({ model, prompt: 'Hello', options });
check(generated.response === text, 'Ollama\'s generate', generated);
const none = await ollama.chat({ model: 'another', messages }).catch((error) => error);
check(none.status_code === 404 && none.message.includes('another'), 'Ollama\'s error', none);
console.log('right');
