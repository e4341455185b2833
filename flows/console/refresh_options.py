"""The options of `perennial refresh`, one type an option; settings that a flag does not set stay None."""

from typing import Annotated

import typer

_AUTHORS = "Models as authors (key: PERENNIAL_API_KEY or OPENAI_API_KEY)"
_PLAYERS = "Models as players"
_CALLS = "Calls and their limits"
_OPERATION = "Operation"

Domains = Annotated[
    str | None,
    typer.Option(help="Bundled domains or paths of .json files, separated by commas. Default: all bundled."),
]
Settings = Annotated[
    str | None, typer.Option(help="Sizes: easy, hard, or NxM (truths x actions). Default: easy,hard.")
]
Instances = Annotated[int | None, typer.Option(help="Instances per domain and setting. Default: 50.")]
Runs = Annotated[
    int | None, typer.Option(help="Runs per instance, of random players and models. Default: 5.")
]
Players = Annotated[
    str | None,
    typer.Option(
        help="Players, separated by commas; any other name is treated as a model, "
        "symbolic:MODEL shows that model the rules as a mapping instead of a book. Default: "
        "oracle,greedy,random,reader."
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of all random draws. Default: 0.")]
Root = Annotated[str | None, typer.Option(help="Data root. Default: warehouse/data.")]
Edition = Annotated[str | None, typer.Option(help="Name of the edition. Default: kumo- and the date.")]
Preset = Annotated[
    str | None, typer.Option(help="kumo-2025: instances as in the paper, trivial ones included.")
]
MinExpectedSteps = Annotated[
    float | None, typer.Option(help="Smallest number of expected steps of an instance. Default: 1.")
]
Author = Annotated[str | None, typer.Option(help="Model for all author roles.", rich_help_panel=_AUTHORS)]
Proposer = Annotated[str | None, typer.Option(help="Model that proposes domains.", rich_help_panel=_AUTHORS)]
Configurer = Annotated[
    str | None, typer.Option(help="Model that writes seed configurations.", rich_help_panel=_AUTHORS)
]
Writer = Annotated[
    str | None, typer.Option(help="Model that writes knowledge books.", rich_help_panel=_AUTHORS)
]
Reviser = Annotated[
    str | None,
    typer.Option(help="Model that reads books back and revises them.", rich_help_panel=_AUTHORS),
]
Propose = Annotated[
    int | None,
    typer.Option(
        help="New domains to propose. Default with a proposer: 3, or none with --domains.",
        rich_help_panel=_AUTHORS,
    ),
]
Categories = Annotated[
    str | None, typer.Option(help="Categories of new domains, separated by commas.", rich_help_panel=_AUTHORS)
]
Continuations = Annotated[
    int | None,
    typer.Option(
        help="Largest number of continuations of a cut-off configuration. Default: 3.",
        rich_help_panel=_AUTHORS,
    ),
]
Repairs = Annotated[
    int | None,
    typer.Option(
        help="Largest number of repairs of an invalid configuration. Default: 3.", rich_help_panel=_AUTHORS
    ),
]
BookRounds = Annotated[
    int | None,
    typer.Option(help="Largest number of revisions of a book. Default: 3.", rich_help_panel=_AUTHORS),
]
AuthorTemperature = Annotated[
    float | None, typer.Option(help="Temperature of authors.", rich_help_panel=_AUTHORS)
]
AuthorMaxTokens = Annotated[
    int | None, typer.Option(help="Largest number of tokens of an author's reply.", rich_help_panel=_AUTHORS)
]
Temperature = Annotated[
    float | None, typer.Option(help="Temperature of model players.", rich_help_panel=_PLAYERS)
]
TopP = Annotated[
    float | None,
    typer.Option(
        help="Nucleus sampling of model players: the probability mass to draw from (top_p).",
        rich_help_panel=_PLAYERS,
    ),
]
MaxTokens = Annotated[
    int | None, typer.Option(help="Largest number of tokens of a player's reply.", rich_help_panel=_PLAYERS)
]
ModelSeed = Annotated[
    int | None, typer.Option(help="Seed passed on to model players.", rich_help_panel=_PLAYERS)
]
ReasoningEffort = Annotated[
    str | None, typer.Option(help="Reasoning effort of model players.", rich_help_panel=_PLAYERS)
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        help="Server with the OpenAI Chat Completions API. Default: OPENAI_BASE_URL, else OpenAI's.",
        rich_help_panel=_CALLS,
    ),
]
Concurrency = Annotated[
    int | None, typer.Option(help="Largest number of calls in flight. Default: 64.", rich_help_panel=_CALLS)
]
RequestsPerMinute = Annotated[
    int | None, typer.Option(help="Largest number of requests per minute.", rich_help_panel=_CALLS)
]
TokensPerMinute = Annotated[
    int | None, typer.Option(help="Largest number of tokens per minute.", rich_help_panel=_CALLS)
]
Timeout = Annotated[
    float | None,
    typer.Option(help="Seconds that a reply may take. Default: 300.", rich_help_panel=_CALLS),
]
MaxAttempts = Annotated[
    int | None,
    typer.Option(help="Largest number of requests for one call. Default: 6.", rich_help_panel=_CALLS),
]
MaxReplyMb = Annotated[
    int | None,
    typer.Option(
        help="Largest size of one reply in megabytes, decompressed. Default: 32.", rich_help_panel=_CALLS
    ),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(help="Largest number of model calls that the edition may make.", rich_help_panel=_CALLS),
]
MaxCost = Annotated[
    float | None,
    typer.Option(help="Largest cost of the edition's model calls in US dollars.", rich_help_panel=_CALLS),
]
AcceptApiErrors = Annotated[
    bool | None,
    typer.Option(
        "--accept-api-errors",
        help="Publish episodes whose calls failed for good, with status api_error.",
        rich_help_panel=_CALLS,
    ),
]
DomainCount = Annotated[
    int | None,
    typer.Option(
        help="Use this many of the domains, the least recently used first. Default: all.",
        rich_help_panel=_OPERATION,
    ),
]
RestEditions = Annotated[
    int | None,
    typer.Option(
        help="With --domain-count: editions for which a domain should rest after use. Default: 2.",
        rich_help_panel=_OPERATION,
    ),
]
Runner = Annotated[
    str | None,
    typer.Option(
        help="Where batches run: local, dask, or dask://HOST:PORT. Default: local.",
        rich_help_panel=_OPERATION,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="Processes for sampling, books and play. Default: all cores.", rich_help_panel=_OPERATION
    ),
]
Webhook = Annotated[
    str | None,
    typer.Option(help="URL that receives a JSON message when the refresh ends.", rich_help_panel=_OPERATION),
]
OpenlineageUrl = Annotated[
    str | None,
    typer.Option(
        "--openlineage-url",
        help="Endpoint that OpenLineage events are sent to, in addition to the file.",
        rich_help_panel=_OPERATION,
    ),
]
MaxTrivialShare = Annotated[
    float | None,
    typer.Option(
        help="Largest share of instances whose answer needs no test. Default: 0.", rich_help_panel=_OPERATION
    ),
]
MinDistinctBooks = Annotated[
    float | None,
    typer.Option(help="Smallest share of distinct books. Default: 1.", rich_help_panel=_OPERATION),
]
MaxCollisionProbability = Annotated[
    float | None,
    typer.Option(
        help="Largest probability that uniform draws repeat an instance. Default: 1.",
        rich_help_panel=_OPERATION,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Print the plan, its counts and an estimate of cost, and do nothing else."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Show Prefect's own messages.")]
