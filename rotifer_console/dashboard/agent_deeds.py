"""Creating an agent and setting its policy, each with its form (TUI-7)."""

from __future__ import annotations

from pathlib import Path

from rotifer_console.dashboard import policy_setting
from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.agent_form import CreateForm, NewAgent
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.policy_form import PolicyForm
from rotifer_console.dashboard.policy_setting import PolicySet, PolicySetting
from rotifer_console.dashboard.undertaking import Undertaking, told
from rotifer_console.file_names import free_path, stem_of
from rotifer_console.genes.genome import read_genome
from rotifer_console.project import gene_names
from rotifer_console.view.agents import describe
from rotifer_store import Agent, DataPolicy, Gene, Store


class AgentDeeds(Undertaking):
    """What makes agents and changes their settings."""

    def do_create(self) -> None:
        """Asks for a new agent."""
        app = self.program
        project = app.project

        def start(form: CreateForm, new: NewAgent) -> None:
            def create(store: Store) -> Agent:
                folders = read_genome(project, new.genes)
                genes = [Gene(each.gene_id, each.domain, each.name, each.version) for each in folders]
                return store.create_agent(
                    new.name,
                    genes=genes,
                    composition=new.composition.to_json(),
                    memory_quota_bytes=new.quota_bytes,
                    data_policy=DataPolicy(new.days, new.auto_delete, new.anonymization),
                )

            def done(agent: Agent) -> None:
                app.door.creates = False
                if form.is_attached:
                    form.dismiss()
                self.choose_agent(agent.name)
                self.say(f"created {describe(agent)}", "success")
                self.show_deed("create", Subject(agent=agent.name, options=new.options))

            def refused(error: Exception) -> None:
                app.door.creates = False
                self.failed_in(form, f"nothing was created: {told(error)}")

            app.door.creates = True  # a project's first agent makes its store
            self.undertake(Lane.CHANGE, f"creating {new.name}", create, done, refused)

        self.app.push_screen(CreateForm(gene_names(project), start))

    def do_policy(self) -> None:
        """Asks for another quota or data policy."""
        agent, seen = self.agent_shown(), self.program.seen
        if agent is None or seen is None or seen.agent is None:
            return

        def start(form: PolicyForm, setting: PolicySetting) -> None:
            def done(result: PolicySet | None) -> None:
                if result is None:
                    if form.is_attached:
                        form.came_late()
                    else:
                        self.say("more would expire than was named: nothing was set, ask again", "warning")
                    return
                if form.is_attached:
                    form.dismiss()
                self.program.look_again()
                file = None if setting.export_to is None else setting.export_to.name
                keys = () if file is None else result.expired
                options = setting.change.options
                subject = Subject(agent=agent.name, keys=keys, file=file, options=options)
                is_shown = self.show_deed("policy", subject)
                self.say(policy_setting.describe(result, setting, has_line=is_shown), "success")

            self.undertake(
                Lane.CHANGE,
                f"setting the policy of {agent.name}",
                lambda store: policy_setting.set_policy(store, setting),
                done,
                lambda error: self.failed_in(form, f"it was not set: {told(error)}"),
            )

        export_to = free_path(Path.cwd(), stem_of(f"{agent.name}-expired"))
        self.app.push_screen(PolicyForm(agent, seen.agent.usage, export_to, start))
