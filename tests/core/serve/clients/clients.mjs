// The official clients of OpenAI, Ollama and Anthropic against a running server: node clients.mjs URL. Exit 0; 1 with the reason;
// 77 (skipped) if the packages are not installed (npm install openai ollama @anthropic-ai/sdk, in this folder or above).
import http from 'node:http';

let OpenAI, Ollama, Anthropic;
try {
  OpenAI = (await import('openai')).default;
  Ollama = (await import('ollama')).Ollama;
  Anthropic = (await import('@anthropic-ai/sdk')).default;
} catch {
  console.log('skipped: the packages openai, ollama and @anthropic-ai/sdk are not installed');
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
  parameters: { type: 'object', properties: { city: { type: 'string', maxLength: 12 } }, required: ['city'], additionalProperties: false } } }];
const withTools = await openai.chat.completions.create({ model, messages, tools, temperature: 0, max_tokens: 24 });
check(['stop', 'length', 'tool_calls'].includes(withTools.choices[0].finish_reason), 'tools', withTools);

const schema = { type: 'object', properties: { name: { type: 'string', maxLength: 12 }, age: { type: 'integer', minimum: 0, maximum: 120 } },
  required: ['name', 'age'], additionalProperties: false };
function checkPerson(text, what) {
  const person = JSON.parse(text);
  check(Object.keys(person).sort().join() === 'age,name' && typeof person.name === 'string' && Number.isInteger(person.age), what, text);
}
const structured = { model, messages, temperature: 0, max_tokens: 200,
  response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } } };
const person = (await openai.chat.completions.create(structured)).choices[0];
checkPerson(person.message.content, 'a structured reply');
check(person.finish_reason === 'stop', 'the end of a structured reply', person);
const parsed = await openai.chat.completions.stream(structured).finalChatCompletion();
check(parsed.choices[0].message.content === person.message.content, 'a structured stream', parsed);

const forced = { model: 'caller', messages, tools, temperature: 0, max_tokens: 200, tool_choice: 'required' };
const call = (await openai.chat.completions.create(forced)).choices[0];
check(call.finish_reason === 'tool_calls' && call.message.tool_calls.length === 1, 'a forced call', call);
check(call.message.tool_calls[0].function.name === 'weather', 'the name of a call', call);
check(typeof JSON.parse(call.message.tool_calls[0].function.arguments).city === 'string', 'the arguments of a call', call);
const streamedCall = (await openai.chat.completions.stream(forced).finalChatCompletion()).choices[0];
check(streamedCall.message.tool_calls[0].function.arguments === call.message.tool_calls[0].function.arguments, 'a streamed call', streamedCall);
const goesOn = await openai.chat.completions.create({ model: 'caller', tools, temperature: 0, max_tokens: 8, messages: [
  ...messages, call.message, { role: 'tool', tool_call_id: call.message.tool_calls[0].id, content: 'rain' }] });
check(goesOn.choices[0].finish_reason.length > 0, 'a turn after a call', goesOn);

// Numbers are base64 between this client and the server unless it is told otherwise.
const vectors = await openai.embeddings.create({ model: 'vectors', input: ['the house', 'the river'] });
const plain = await openai.embeddings.create({ model: 'vectors', input: ['the house', 'the river'], encoding_format: 'float' });
check(vectors.data.length === 2 && vectors.data[1].index === 1 && vectors.usage.total_tokens > 0, 'embeddings', vectors.usage);
check(JSON.stringify(vectors.data[1].embedding) === JSON.stringify(plain.data[1].embedding.map(Math.fround)), 'embeddings in base64',
  [vectors.data[1].embedding[0], plain.data[1].embedding[0]]);

const asked = { model, input: 'Hello', temperature: 0, max_output_tokens: 24 };
const response = await openai.responses.create(asked);
check(response.output_text === text && response.object === 'response', 'responses', response);
check(response.usage.output_tokens === whole.usage.completion_tokens, 'usage of a response', response.usage);
let deltas = '', last;
for await (const event of await openai.responses.create({ ...asked, stream: true })) {
  if (event.type === 'response.output_text.delta') deltas += event.delta;
  last = event;
}
check(deltas === text && ['response.completed', 'response.incomplete'].includes(last.type), 'the events of a response', last);
const final = await openai.responses.stream(asked).finalResponse();
check(final.output_text === text && final.status === response.status, 'the client\'s helper for responses', final);
const format = { type: 'json_schema', name: 'person', strict: true, schema };
checkPerson((await openai.responses.parse({ ...asked, max_output_tokens: 200, text: { format } })).output_text, 'a structured response');
const flat = [{ type: 'function', ...tools[0].function, strict: true }];
const calling = { model: 'caller', input: 'Hello', temperature: 0, max_output_tokens: 200, tools: flat, tool_choice: 'required' };
const called = await openai.responses.create(calling);
check(called.output[0].type === 'function_call' && called.output[0].name === 'weather', 'a call in a response', called.output);
const calledStream = await openai.responses.stream(calling).finalResponse();
check(calledStream.output[0].arguments === called.output[0].arguments, 'a call in a stream of events', calledStream.output);
const answered = await openai.responses.create({ model: 'caller', tools: flat, max_output_tokens: 8, input: [
  { role: 'user', content: 'Hello' }, ...called.output, { type: 'function_call_output', call_id: called.output[0].call_id, output: 'rain' }] });
check(answered.output.length > 0, 'a response after a call', answered);
const further = { ...asked, input: [{ role: 'user', content: 'Hello' }, response.output[0], { role: 'user', content: 'And?' }] };
const inlined = await openai.responses.create({ ...further, store: false });
const referring = await openai.responses.create({ ...further,
  input: [further.input[0], { type: 'item_reference', id: response.output[0].id }, further.input[2]] });
check(referring.output_text === inlined.output_text, 'an item that is referred to', referring);
const following = await openai.responses.create({ ...asked, input: 'And?', previous_response_id: response.id });
check(following.output_text === inlined.output_text && following.store === true, 'a response that follows another', following);
const goneOn = await openai.responses.create({ ...asked, previous_response_id: inlined.id }).catch((error) => error);
check(goneOn instanceof OpenAI.BadRequestError && goneOn.code === 'previous_response_not_found', 'the error of a response that is not kept', goneOn);

const completion = await openai.completions.create({ model, prompt: 'Hello', temperature: 0, max_tokens: 4 });
check(completion.object === 'text_completion' && completion.choices[0].text.length > 0, 'completions', completion);

const refused = await openai.chat.completions.create({ model: 'another', messages }).catch((error) => error);
check(refused instanceof OpenAI.NotFoundError && refused.code === 'model_not_found', 'the error of an unknown model', refused);
const wrong = await openai.chat.completions.create({ model, messages, temperature: 1000 }).catch((error) => error);
check(wrong instanceof OpenAI.BadRequestError && wrong.param === 'temperature', 'the error of a wrong field', wrong);

const ollama = new Ollama({ host: url });
const names = (await ollama.list()).models.map((m) => m.name);
check(names.join() === 'builtin-model,caller,vectors', 'list', names);
const options = { temperature: 0, num_predict: 24 };
const chat = await ollama.chat({ model, messages, options });
check(chat.message.content === text && chat.done, 'Ollama\'s chat', chat);
let lines = '';
for await (const part of await ollama.chat({ model, messages, options, stream: true })) lines += part.message.content;
check(lines === text, 'Ollama\'s stream', lines);
const generated = await ollama.generate({ model, prompt: 'Hello', options });
check(generated.response === text, 'Ollama\'s generate', generated);
const long = { temperature: 0, num_predict: 200 };
checkPerson((await ollama.chat({ model, messages, options: long, format: schema })).message.content, 'Ollama\'s structured reply');
checkPerson((await ollama.generate({ model, prompt: 'Hello', options: long, format: schema })).response, 'Ollama\'s structured text');
const object = await ollama.chat({ model, messages, options: { temperature: 0, num_predict: 4 }, format: 'json' });
check(object.message.content.startsWith('{'), 'Ollama\'s json', object);
const ollamaTools = await ollama.chat({ model: 'caller', messages, options, tools });
check(ollamaTools.done && typeof ollamaTools.message.content === 'string', 'Ollama\'s tools', ollamaTools);
const likely = await ollama.chat({ model, messages, options, logprobs: true, top_logprobs: 2 });
check(likely.logprobs.map((one) => one.token).join('') === text && likely.logprobs[0].top_logprobs.length === 2, 'Ollama\'s probabilities', likely);
const embedded = await ollama.embed({ model: 'vectors', input: ['the house', 'the river'] });
check(JSON.stringify(embedded.embeddings[1].map(Math.fround)) === JSON.stringify(vectors.data[1].embedding), 'Ollama\'s embed', embedded.embeddings?.length);
const none = await ollama.chat({ model: 'another', messages }).catch((error) => error);
check(none.status_code === 404 && none.message.includes('another'), 'Ollama\'s error', none);

const anthropic = new Anthropic({ baseURL: url, apiKey: 'none' });
const letter = { model, messages, temperature: 0, max_tokens: 24 };
const message = await anthropic.messages.create(letter);
check(message.content[0].text === text && message.usage.output_tokens === whole.usage.completion_tokens, 'a message', message);
check(await anthropic.messages.stream(letter).finalText() === text, 'the stream of a message', text);
const count = (await anthropic.messages.countTokens({ model, messages })).input_tokens;
check(count === whole.usage.prompt_tokens, 'the count of tokens', count);
const output_config = { format: { type: 'json_schema', schema } };
checkPerson((await anthropic.messages.create({ ...letter, max_tokens: 200, output_config })).content[0].text, 'a structured message');
const callable = tools.map(({ function: f }) => ({ name: f.name, description: f.description, input_schema: f.parameters }));
const calls = { ...letter, model: 'caller', max_tokens: 200, tools: callable, tool_choice: { type: 'any' } };
const use = await anthropic.messages.create(calls);
check(use.stop_reason === 'tool_use' && typeof use.content[0].input.city === 'string', 'a call in a message', use);
const streamedUse = await anthropic.messages.stream(calls).finalMessage();
check(JSON.stringify(streamedUse.content[0].input) === JSON.stringify(use.content[0].input), 'a call in a stream of blocks', streamedUse);
const afterUse = await anthropic.messages.create({ ...calls, max_tokens: 8, tool_choice: { type: 'auto' }, messages: [...messages,
  { role: 'assistant', content: use.content },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.content[0].id, content: 'rain' }] }] });
check(afterUse.stop_reason.length > 0, 'a message after a call', afterUse);
const nobody = await anthropic.messages.create({ ...letter, model: 'another' }).catch((error) => error);
check(nobody instanceof Anthropic.NotFoundError && nobody.error.error.type === 'not_found_error', 'the error of an unknown model', nobody);

// What the server writes into a stream that has nothing to tell, put in by a proxy before every event; of responses, whose repeated event
// has what is written so far, before anything is.
const quiet = http.createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  const answer = await fetch(url + request.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') });
  const events = (await answer.text()).split('\n\n').filter((event) => event);
  const repeated = events.find((event) => event.startsWith('event: response.in_progress'));
  const silence = request.url.includes('/messages') ? 'event: ping\ndata: {"type":"ping"}' : repeated ?? ':';
  const written = repeated ? events.findIndex((event) => event.startsWith('event: response.output_item.added')) : events.length;
  events.forEach((event, i) => response.write((repeated && i === 0) || i > written ? `${event}\n\n` : `${silence}\n\n${event}\n\n`));
  response.end();
});
await new Promise((ready) => quiet.listen(0, '127.0.0.1', ready));
const silent = `http://127.0.0.1:${quiet.address().port}`;
const patient = new OpenAI({ baseURL: `${silent}/v1`, apiKey: 'none' });
const joined = await patient.chat.completions.stream({ model, messages, temperature: 0, max_tokens: 24 }).finalContent();
check(joined === text, 'a chat with silences', joined);
const joinedResponse = await patient.responses.stream(asked).finalResponse();
check(joinedResponse.output_text === text, 'a response with silences', joinedResponse);
const joinedMessage = await new Anthropic({ baseURL: silent, apiKey: 'none' }).messages.stream(letter).finalText();
check(joinedMessage === text, 'a message with silences', joinedMessage);
quiet.close();
console.log('right');
