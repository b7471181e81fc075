{ loops [OPTION…]: what a call of a digest takes in native code, beside PHP's hash() on the same machine: the original survey's table of native loops. All sides take
  turns of a millisecond or more; figures are medians, with the interval in which the median lies with 95 %. Prints tables in Markdown.

    --php PROGRAM        PHP, if it is not `php`; `--php none` leaves it out
    --beside PROGRAM     the kernels in another build of this program, of 32 bits for instance
    --pairs N            turns (101)
    --published FILE     what others measured (bench/published.json)
    --json FILE          what was measured goes there, too
    --answer             answer lines instead: LOOP, bytes and times, between them a tab, with nanoseconds, or -1 for an unknown
                         loop and for more than 65536 bytes
    --stop LOOP BYTES    for `hashmill bench codegen --listing LOOP --program 'loops --stop'`: runs the loop once, stops, runs it again, stops
    --list               the names of the kernels that this CPU can run

  With -dALONE it is compiled without the library: only the stand-alone kernels. }
program Loops;

{$MODE OBJFPC}{$H+}{$ASMMODE INTEL}{$Q-}{$R-}

uses
  {$IF defined(LINUX)}BaseUnix, Linux, UnixType, {$ELSEIF defined(WINDOWS)}Windows, {$ELSE}BaseUnix, Unix, {$ENDIF}
  SysUtils, Classes, Math, Process, fpjson, jsonparser, {$IFNDEF ALONE}HashMill, {$ENDIF}Crc32Kernels, Md5Kernels;

type
  TTimes = array of Double;

  { Who runs a loop: nanoseconds that it takes, or a negative number if they have no such loop. }
  TSide = class
    function Run(const Name: string; Bytes, Times: Int64): Int64; virtual; abstract;
  end;

  TNative = class(TSide)
    function Run(const Name: string; Bytes, Times: Int64): Int64; override;
  end;

  { A program that answers lines. }
  TBeside = class(TSide)
  private
    FProcess: TProcess;
    function Line: string;
  public
    constructor Create(const Command: array of string);
    destructor Destroy; override;
    function Run(const Name: string; Bytes, Times: Int64): Int64; override;
  end;

  { The median, and the order statistics between which it lies with 95 % (binomial). }
  TSummary = record
    Median, Low, High: Double;
  end;

  ELoops = class(Exception);

const
  MICROSECONDS_A_TURN = 1500;
  { Bytes of the longest message. }
  SIZE = 65536;

var
  Memory: array[0..SIZE + 4095] of Byte;
  { The message, at the beginning of a page: where it lies makes a difference to fast functions. }
  Data: PByte;
  Pairs: Integer = 101;
  Results: TJSONObject;

{ Bytes that nothing can be guessed from, the same every time. }
procedure Fill;
var
  X: QWord;
  I: Integer;
begin
  Data := Align(@Memory[0], 4096);
  X := QWord($2545F4914F6CDD1D);
  for I := 0 to SIZE - 1 do
  begin
    X := X xor (X shl 13);
    X := X xor (X shr 7);
    X := X xor (X shl 17);
    Data[I] := Byte((X * QWord($9E3779B97F4A7C15)) shr 56);
  end;
end;

{ Nanoseconds since some moment. }
function Now_: Int64;
{$IF defined(LINUX)}
var
  T: TTimeSpec;
begin
  clock_gettime(CLOCK_MONOTONIC, @T);
  Result := Int64(T.tv_sec) * 1000000000 + T.tv_nsec;
end;
{$ELSEIF defined(WINDOWS)}
var
  Ticks, Hertz: Int64;
begin
  QueryPerformanceCounter(Ticks);
  QueryPerformanceFrequency(Hertz);
  Result := Round(Ticks / Hertz * 1e9);
end;
{$ELSE}
var
  T: TTimeVal;
begin
  fpGetTimeOfDay(@T, nil);
  Result := Int64(T.tv_sec) * 1000000000 + T.tv_usec * 1000;
end;
{$ENDIF}

{$IF defined(CPUX86_64) or defined(CPUI386)}
{ Additions that wait for one another, one for each cycle of the core: 16 a turn. }
procedure Cycles(Turns: NativeUInt); assembler; nostackframe;
asm
  {$IFDEF CPUX86_64}{$IFDEF WIN64}
  mov     rax, rcx
  {$ELSE}
  mov     rax, rdi
  {$ENDIF}{$ENDIF}
  mov     edx, eax
@next:
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  sub     edx, 1
  jnz     @next
end;
{$ELSE}
procedure Cycles(Turns: NativeUInt);
begin
end;
{$ENDIF}

function KernelOf(const Name: string): TCrcFunction;
begin
  Result := nil;
  case Name of
    'crc32/bytewise': Result := @Crc32Bytewise;
    'crc32/slicing8': Result := @Crc32Slicing8;
    'crc32c/slicing8': Result := @Crc32cSlicing8;
    {$IF declared(Crc32FoldAsm)}
    'crc32/bytewise-asm': Result := @Crc32BytewiseAsm;
    'crc32/unrolled-asm': Result := @Crc32UnrolledAsm;
    'crc32/slicing8-asm': Result := @Crc32Slicing8Asm;
    'crc32/fold-asm': if HasClmul then Result := @Crc32FoldAsm;
    'crc32c/sse42-asm': if HasSse42 then Result := @Crc32cSse42Asm;
    {$ENDIF}
    {$IF declared(Crc32FoldWideAsm)}
    'crc32/fold-wide-asm': if HasVpclmul then Result := @Crc32FoldWideAsm;
    {$ENDIF}
  end;
end;

const
  LOOPS_: array[0..10] of string = ('crc32/bytewise', 'crc32/bytewise-asm', 'crc32/unrolled-asm', 'crc32/slicing8', 'crc32/slicing8-asm', 'crc32/fold-asm',
    'crc32/fold-wide-asm', 'crc32c/slicing8', 'crc32c/sse42-asm', 'md5/pascal', 'md5/asm');

function TNative.Run(const Name: string; Bytes, Times: Int64): Int64;
var
  Crc: TCrcFunction;
  {$IFNDEF ALONE}
  A: THashAlgorithm;
  Digest: array[0..255] of Byte;
  Len: NativeUInt;
  {$ENDIF}
  I: NativeInt;
  Start: Int64;
  Sum: Cardinal;
begin
  Result := -1;
  if (Bytes < 0) or (Bytes > SIZE) or (Times < 1) or (NativeInt(Times) <> Times) then
    Exit;
  if Name = 'cycles' then
  begin
    Start := Now_;
    Cycles(Max(1, Times div 16));
    Exit(Now_ - Start);
  end;
  if (Name = 'md5/pascal') or (Name = 'md5/asm') then
  begin
    MD5Blocks := @MD5BlocksPascal;
    if Name = 'md5/asm' then
      {$IF declared(MD5BlocksAsm)}
      MD5Blocks := @MD5BlocksAsm;
      {$ELSE}
      Exit;
      {$ENDIF}
    Start := Now_;
    for I := 1 to NativeInt(Times) do
      MD5(Data, Bytes);
    Exit(Now_ - Start);
  end;
  if Pos('/', Name) > 0 then
  begin
    Crc := KernelOf(Name);
    if not Assigned(Crc) then
      Exit;
    Sum := 0;
    Start := Now_;
    for I := 1 to NativeInt(Times) do
      Sum := Crc(Data, Bytes, Sum);
    Exit(Now_ - Start);
  end;
  {$IFNDEF ALONE}
  try
    A := THashAlgorithm.Named(Name);
  except
    on E: EHashMill do
    begin
      { Without the library there is nothing to measure, and no row would say why. }
      if E.Kind = hekNoLibrary then
        raise;
      Exit;
    end;
  end;
  Len := A.DigestLen;
  if Len > SizeOf(Digest) then
    Exit;
  Start := Now_;
  for I := 1 to NativeInt(Times) do
    A.DigestTo(Data, Bytes, @Digest, Len);
  Result := Now_ - Start;
  {$ENDIF}
end;

constructor TBeside.Create(const Command: array of string);
var
  I: Integer;
begin
  FProcess := TProcess.Create(nil);
  FProcess.Executable := Command[0];
  for I := 1 to High(Command) do
    FProcess.Parameters.Add(Command[I]);
  FProcess.Options := [poUsePipes];
  try
    FProcess.Execute;
  except
    on E: EProcess do
      raise ELoops.CreateFmt('%s: cannot run it', [Command[0]]);
  end;
end;

destructor TBeside.Destroy;
begin
  if FProcess.Running then
    FProcess.Terminate(1);
  FProcess.Free;
  inherited;
end;

function TBeside.Line: string;
var
  C: AnsiChar = #0;
begin
  Result := '';
  repeat
    if FProcess.Output.Read(C, 1) <> 1 then
      raise ELoops.CreateFmt('%s ended without an answer', [FProcess.Executable]);
    if C <> #10 then
      Result := Result + C;
  until C = #10;
end;

function TBeside.Run(const Name: string; Bytes, Times: Int64): Int64;
var
  Ask, Answer: string;
begin
  Ask := Format('%s'#9'%d'#9'%d'#10, [Name, Bytes, Times]);
  { A signal would end this program without a word; see the main program. }
  if FProcess.Input.Write(Ask[1], Length(Ask)) <> Length(Ask) then
    raise ELoops.CreateFmt('%s ended without an answer', [FProcess.Executable]);
  Answer := Line;
  Result := StrToInt64Def(Answer, -1);
end;

{ Answers what TBeside asks. }
procedure Answering;
var
  Native: TNative;
  Ask: string;
  Parts: TStringArray;
begin
  Native := TNative.Create;
  try
    while not Eof(Input) do
    begin
      Readln(Ask);
      Parts := Ask.Split([#9]);
      if Length(Parts) = 3 then
        Writeln(Native.Run(Parts[0], StrToInt64Def(Parts[1], 0), StrToInt64Def(Parts[2], 1)))
      else
        Writeln(-1);
      Flush(Output);
    end;
  finally
    Native.Free;
  end;
end;

{ The kernels that can run here. }
procedure List;
var
  Native: TNative;
  Name: string;
begin
  Native := TNative.Create;
  try
    for Name in LOOPS_ do
      if Native.Run(Name, 5, 1) >= 0 then
        Writeln(Name);
  finally
    Native.Free;
  end;
end;

{ Stops the program round the second run, for who looks on. }
procedure Stopping(const Name: string; Bytes: Integer);
var
  Native: TNative;
  I: Integer;
begin
  Native := TNative.Create;
  try
    for I := 1 to 2 do
    begin
      if Native.Run(Name, Bytes, 1) < 0 then
        raise ELoops.CreateFmt('%s: no such loop, or one that this CPU cannot run', [Name]);
      {$IFDEF UNIX}
      fpKill(fpGetPid, SIGSTOP);
      {$ENDIF}
    end;
  finally
    Native.Free;
  end;
end;

procedure Sort(var T: TTimes);
var
  I, K: Integer;
  X: Double;
begin
  for I := 1 to High(T) do
  begin
    X := T[I];
    K := I - 1;
    while (K >= 0) and (T[K] > X) do
    begin
      T[K + 1] := T[K];
      Dec(K);
    end;
    T[K + 1] := X;
  end;
end;

function Summary(const Times: TTimes): TSummary;
var
  T: TTimes;
  N, Low_: Integer;
begin
  T := Copy(Times);
  Sort(T);
  N := Length(T);
  Low_ := Max(0, Floor((N - 1.96 * Sqrt(N)) / 2));
  Result.Median := T[N div 2];
  Result.Low := T[Low_];
  Result.High := T[N - 1 - Low_];
end;

function Shown(const S: TSummary; const Form: string = '%.2f [%.2f, %.2f]'): string;
begin
  Result := Format(Form, [S.Median, S.Low, S.High]);
end;

function Json(const S: TSummary): TJSONObject;
begin
  Result := TJSONObject.Create(['median', S.Median, 'interval', TJSONArray.Create([S.Low, S.High])]);
end;

type
  TSides = array of TSide;
  TAll = array of TTimes;

{ Nanoseconds of a call for each side and turn; a side without such a loop has none. Names[I] is what side I calls it. }
function Turns(const Sides: TSides; const Names: array of string; Bytes: Int64): TAll;
var
  Times: array of Int64 = nil;
  Took: Int64;
  I, K, Pair, At: Integer;
begin
  Result := nil;
  SetLength(Result, Length(Sides));
  SetLength(Times, Length(Sides));
  for I := 0 to High(Sides) do
  begin
    Times[I] := 64;
    repeat
      Took := Sides[I].Run(Names[I], Bytes, Times[I]);
      if (Took >= 0) and (Took < MICROSECONDS_A_TURN * 1000) then
        Times[I] := Max(Times[I] + 1, Round(Times[I] * Min(16.0, 1.2 * MICROSECONDS_A_TURN * 1000 / Max(Took, 1))));
    until (Took < 0) or (Took >= MICROSECONDS_A_TURN * 1000) or (Times[I] > 1 shl 40);
    if Took < 0 then
      Times[I] := 0
    else
      SetLength(Result[I], Pairs);
  end;
  for Pair := 0 to Pairs - 1 do
    for K := 0 to High(Sides) do
    begin
      { Each comes first as often as the others. }
      At := (K + Pair) mod Length(Sides);
      if Times[At] > 0 then
        Result[At][Pair] := Sides[At].Run(Names[At], Bytes, Times[At]) / Times[At];
    end;
end;

function Ratios(const A, B: TTimes): TTimes;
var
  I: Integer;
begin
  Result := nil;
  SetLength(Result, Length(A));
  for I := 0 to High(A) do
    Result[I] := A[I] / B[I];
end;

procedure Row(const Cells: array of string);
var
  S, C: string;
begin
  S := '|';
  for C in Cells do
    S := S + ' ' + C + ' |';
  Writeln(S);
end;

procedure Head(const Cells: array of string);
var
  S: string;
  I: Integer;
begin
  Row(Cells);
  S := '|---|';
  for I := 1 to High(Cells) do
    S := S + '---:|';
  Writeln(S);
end;

{$IFNDEF ALONE}
{ What PHP calls the original's rows. }
function InPhp(const Name: string): string;
begin
  Result := Name;
  if Name = 'crc32' then
    Result := 'crc32b';
end;

{ The figure of a row of the original, as it stands there: `>0.0000001` was too quick for its clock. }
function Was(Published: TJSONObject; const Name: string; Size: Integer): string;
var
  Figure: TJSONData;
  Key: string;
begin
  Result := '–';
  if Published = nil then
    Exit;
  Key := Name;
  if Name = 'crc32c' then
    Key := 'crc32c (intel hw)';
  Figure := Published.Objects['delphi_i5_6600_win32'].Objects['rows'].Arrays[Key].Items[Ord(Size = 5000)];
  if Figure.JSONType = jtString then
    Result := Figure.AsString
  else
    Result := Format('%.6f', [Figure.AsFloat]);
end;

{ The original's rows: hashmill called from Pascal, and PHP. }
procedure Original(Native, Php: TSide; Published: TJSONObject);
const
  SIZES: array[0..1] of Integer = (5, 5000);
  CALLS = 5000;
  NAMES: array[0..4] of string = ('md2', 'md5', 'sha1', 'crc32', 'crc32c');
var
  Sides: TSides;
  All: TAll;
  Name, Then_, Times, InPhpSeconds, Ratio: string;
  Size: Integer;
  Figure, Took: Double;
  Rows: TJSONArray;
  Item: TJSONObject;
begin
  Sides := [Native];
  if Php <> nil then
    Sides := [Native, Php];
  Rows := TJSONArray.Create;
  Results.Add('original', Rows);
  for Size in SIZES do
  begin
    Writeln(Format('**%d bytes**, seconds for %d calls:', [Size, CALLS]));
    Writeln;
    Head(['algorithm', 'published: Delphi, i5-6600', 'native here', '×', 'PHP here', 'PHP''s time / native''s [95 %]']);
    for Name in NAMES do
    begin
      All := Turns(Sides, [Name, InPhp(Name)], Size);
      if All[0] = nil then
        Continue;
      Took := Summary(All[0]).Median * CALLS / 1e9;
      Then_ := Was(Published, Name, Size);
      Times := '–';
      if TryStrToFloat(Then_, Figure) then
        Times := Format('%.1f×', [Figure / Took]);
      Item := TJSONObject.Create(['algorithm', Name, 'bytes', Size, 'seconds', Took]);
      InPhpSeconds := '–';
      Ratio := '–';
      if (Php <> nil) and (All[1] <> nil) then
      begin
        InPhpSeconds := Format('%.6f', [Summary(All[1]).Median * CALLS / 1e9]);
        Ratio := Shown(Summary(Ratios(All[1], All[0])));
        Item.Add('php_seconds', Summary(All[1]).Median * CALLS / 1e9);
        Item.Add('ratio', Json(Summary(Ratios(All[1], All[0]))));
      end;
      Rows.Add(Item);
      Row([Name, Then_, Format('%.6f', [Took]), Times, InPhpSeconds, Ratio]);
    end;
    Writeln;
  end;
end;
{$ENDIF}

{ The kernels that need no library. The core's clock takes its turns like them. }
procedure Kernels(Native, Beside: TSide);
var
  Sides: TSides;
  Small, Large: TAll;
  Name, Other: string;
  Cells: array of string;
  Rows: TJSONArray;
  Item: TJSONObject;

  function PerByte(const T, Clock: TTimes; Bytes: Integer): TSummary;
  var
    R: TTimes;
    I: Integer;
  begin
    R := Ratios(T, Clock);
    for I := 0 to High(R) do
      R[I] := R[I] / Bytes;
    Result := Summary(R);
  end;

begin
  Sides := [Native, Native];
  if Beside <> nil then
    Sides := [Native, Native, Beside];
  Rows := TJSONArray.Create;
  Results.Add('kernels', Rows);
  Cells := ['kernel', '5 bytes: ns a call', '5000 bytes: ns', 'cycles a byte [95 %]'];
  if Beside <> nil then
    Cells := Concat(Cells, ['32 bits: ns for 5 bytes', 'cycles a byte [95 %]']);
  Writeln(Format('**Kernels that need no library**, in a program of %d bits:', [8 * SizeOf(Pointer)]));
  Writeln;
  Head(Cells);
  for Name in LOOPS_ do
  begin
    Small := Turns(Sides, ['cycles', Name, Name], 5);
    if Small[1] = nil then
      Continue;
    Large := Turns(Sides, ['cycles', Name, Name], 5000);
    Item := TJSONObject.Create(['kernel', Name, 'small_ns', Summary(Small[1]).Median, 'large_ns', Summary(Large[1]).Median,
      'cycles_per_byte', Json(PerByte(Large[1], Large[0], 5000))]);
    Cells := [Name, Format('%.1f', [Summary(Small[1]).Median]), Format('%.0f', [Summary(Large[1]).Median]), Shown(PerByte(Large[1], Large[0], 5000), '%.3f [%.3f, %.3f]')];
    if Beside <> nil then
    begin
      Other := '–';
      if Large[2] <> nil then
      begin
        Other := Shown(PerByte(Large[2], Large[0], 5000), '%.3f [%.3f, %.3f]');
        Item.Add('beside_small_ns', Summary(Small[2]).Median);
        Item.Add('beside_cycles_per_byte', Json(PerByte(Large[2], Large[0], 5000)));
        Cells := Concat(Cells, [Format('%.1f', [Summary(Small[2]).Median]), Other]);
      end
      else
        Cells := Concat(Cells, [Other, Other]);
    end;
    Rows.Add(Item);
    Row(Cells);
  end;
  Writeln;
end;

const
  { Answers as TBeside asks. Nothing of it is in a file, so that the program is one file. }
  PHP_LOOP = '$data = random_bytes(16384); $known = array_flip(hash_algos()); while (($line = fgets(STDIN)) !== false) { [$name, $bytes, $times] = explode("\t", trim($line)); ' +
    'if (!isset($known[$name])) { echo "-1\n"; continue; } $m = substr($data, 0, (int) $bytes); $start = hrtime(true); for ($i = 0; $i < $times; $i++) { hash($name, $m); } ' +
    'echo hrtime(true) - $start, "\n"; }';

function Read_(const Name: string): TJSONObject;
var
  Lines: TStringList;
begin
  Lines := TStringList.Create;
  try
    Lines.LoadFromFile(Name);
    try
      Result := GetJSON(Lines.Text) as TJSONObject;
      Result.Objects['delphi_i5_6600_win32'].Objects['rows'].Arrays['md5'];
    except
      on E: Exception do
        raise ELoops.CreateFmt('--published %s: it is not bench/published.json: %s', [Name, E.Message]);
    end;
  finally
    Lines.Free;
  end;
end;

procedure Run;
var
  Native, Php, Beside: TSide;
  Published: TJSONObject = nil;
  PhpProgram: string = 'php';
  BesideProgram: string = '';
  JsonName: string = '';
  Found: string = '';
  Option, Value: string;
  Out_: TStringList;
  I: Integer;
  Bytes, Number: Int64;
begin
  I := 1;
  while I <= ParamCount do
  begin
    Option := ParamStr(I);
    if Option = '--answer' then
    begin
      Answering;
      Exit;
    end;
    if Option = '--list' then
    begin
      List;
      Exit;
    end;
    if (Option = '--stop') and (I + 2 = ParamCount) then
    begin
      if not TryStrToInt64(ParamStr(I + 2), Bytes) or (Bytes < 0) or (Bytes > SIZE) then
        raise ELoops.CreateFmt('--stop %s %s: a number of bytes from 0 to %d', [ParamStr(I + 1), ParamStr(I + 2), SIZE]);
      Stopping(ParamStr(I + 1), Bytes);
      Exit;
    end;
    if I = ParamCount then
      raise ELoops.CreateFmt('%s: no such option, or it lacks its value; the first lines of loops.pas have them all', [Option]);
    Value := ParamStr(I + 1);
    case Option of
      '--php': PhpProgram := Value;
      '--beside': BesideProgram := Value;
      '--json': JsonName := Value;
      '--published': Published := Read_(Value);
      '--pairs':
        if TryStrToInt64(Value, Number) and (Number >= 5) and (Number <= 1000000) then
          Pairs := Number
        else
          raise ELoops.CreateFmt('--pairs %s: a number from 5 to 1000000', [Value]);
      else
        raise ELoops.CreateFmt('%s: no such option; the first lines of loops.pas have them all', [Option]);
    end;
    Inc(I, 2);
  end;
  Native := TNative.Create;
  Php := nil;
  Beside := nil;
  Results := TJSONObject.Create;
  try
    { A name with a folder in it is not looked for. }
    if (PhpProgram <> 'none') and (ExtractFilePath(PhpProgram) = '') then
      Found := ExeSearch(PhpProgram, GetEnvironmentVariable('PATH'))
    else if (PhpProgram <> 'none') and FileExists(PhpProgram) then
      Found := PhpProgram;
    if Found <> '' then
      Php := TBeside.Create([Found, '-n', '-r', PHP_LOOP])
    else if PhpProgram <> 'none' then
      Writeln(StdErr, 'loops: ', PhpProgram, ': not found, so the tables are without PHP');
    if BesideProgram <> '' then
      Beside := TBeside.Create([BesideProgram, '--answer']);
    {$IFNDEF ALONE}
    Original(Native, Php, Published);
    {$ENDIF}
    Kernels(Native, Beside);
    if JsonName <> '' then
    begin
      Out_ := TStringList.Create;
      try
        Out_.Text := Results.FormatJSON;
        Out_.SaveToFile(JsonName);
      finally
        Out_.Free;
      end;
    end;
  finally
    Results.Free;
    Beside.Free;
    Php.Free;
    Native.Free;
    Published.Free;
  end;
end;

begin
  DefaultFormatSettings.DecimalSeparator := '.';
  {$IFDEF UNIX}
  { Who ends without an answer is said, and is no end of this program. }
  fpSignal(SIGPIPE, SignalHandler(SIG_IGN));
  {$ENDIF}
  try
    Fill;
    Run;
    Flush(Output);
  except
    on E: Exception do
    begin
      Writeln(StdErr, 'loops: ', E.Message);
      Halt(1);
    end;
  end;
end.
